import { resolve } from "node:path";
import type { Reservation, Team } from "../../../protocol/index.ts";

/** What is held at this moment: its time is not over, and its holder has not ended. */
export function heldReservations({ reservations = [], members }: Team, at: string): readonly Reservation[] {
  const there = new Set(members.flatMap(({ name, ended }) => (ended ? [] : [name])));
  return reservations.filter(({ by, until }) => until > at && there.has(by));
}

/** Who has reserved this file, or a folder that it is in. */
export const reservationsOf = (team: Team, { path, at }: Pick<Reservation, "path" | "at">): readonly Reservation[] =>
  heldReservations(team, at).filter((held) => doOverlap(team, [held.path, path]));

/** The first reservation of somebody else that stands in the way of this one when it is made. */
export function conflictingReservation(team: Team, wanted: Reservation): Reservation | undefined {
  return heldReservations(team, wanted.at).find(
    (held) =>
      held.by !== wanted.by &&
      (held.mode === "exclusive" || wanted.mode === "exclusive") &&
      doOverlap(team, [held.path, wanted.path]),
  );
}

/** Files and folders (`src/`), absolute or relative to the lead's folder: the same, or one is within the other. */
function doOverlap({ members }: Team, paths: readonly [string, string]): boolean {
  const root = members[0]?.cwd ?? "/";
  const [a, b] = [absolute(paths[0], root), absolute(paths[1], root)];
  return a === b || isWithin(a, b) || isWithin(b, a);
}

const absolute = (path: string, root: string) =>
  path.endsWith("/") ? `${resolve(root, path)}/`.replace(/\/+$/, "/") : resolve(root, path);

const isWithin = (path: string, folder: string) => folder.endsWith("/") && path.startsWith(folder);
