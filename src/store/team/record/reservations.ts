import { resolve } from "node:path";
import type { Reservation, Team } from "../../../protocol/index.ts";

/** Returns the current reservations: not expired, and the holder has not ended. */
export function heldReservations({ reservations = [], members }: Team, at: string): readonly Reservation[] {
  const there = new Set(members.flatMap(({ name, ended }) => (ended ? [] : [name])));
  return reservations.filter(({ by, until }) => until > at && there.has(by));
}

/** Returns the reservations of this file, or of a folder that contains it. */
export const reservationsOf = (team: Team, { path, at }: Pick<Reservation, "path" | "at">): readonly Reservation[] =>
  heldReservations(team, at).filter((held) => doOverlap(team, [held.path, path]));

/** Returns the first reservation of another member that conflicts with the wanted one. */
export function conflictingReservation(team: Team, wanted: Reservation): Reservation | undefined {
  return heldReservations(team, wanted.at).find(
    (held) =>
      held.by !== wanted.by &&
      (held.mode === "exclusive" || wanted.mode === "exclusive") &&
      doOverlap(team, [held.path, wanted.path]),
  );
}

/**
 * True if two files or folders (`src/`) are the same or one contains the other. Paths are absolute or relative to the
 * lead's folder.
 */
function doOverlap({ members }: Team, paths: readonly [string, string]): boolean {
  const root = members[0]?.cwd ?? "/";
  const [a, b] = [absolute(paths[0], root), absolute(paths[1], root)];
  return a === b || isWithin(a, b) || isWithin(b, a);
}

const absolute = (path: string, root: string) =>
  path.endsWith("/") ? `${resolve(root, path)}/`.replace(/\/+$/, "/") : resolve(root, path);

const isWithin = (path: string, folder: string) => folder.endsWith("/") && path.startsWith(folder);
