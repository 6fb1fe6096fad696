import type { Reservation, Team } from "../../protocol/index.ts";

/** What is held at this moment: its time is not over, and its holder has not ended. */
export function heldReservations({ reservations = [], members }: Team, at: string): readonly Reservation[] {
  const there = new Set(members.flatMap(({ name, ended }) => (ended ? [] : [name])));
  return reservations.filter(({ by, until }) => until > at && there.has(by));
}

/** Who has reserved this file, or a folder that it is in. */
export const reservationsOf = (team: Team, { path, at }: Pick<Reservation, "path" | "at">): readonly Reservation[] =>
  heldReservations(team, at).filter((held) => doOverlap(held.path, path));

/** The first reservation of somebody else that stands in the way of this one when it is made. */
export function whoHolds(team: Team, wanted: Reservation): Reservation | undefined {
  return heldReservations(team, wanted.at).find(
    (held) =>
      held.by !== wanted.by &&
      (held.mode === "exclusive" || wanted.mode === "exclusive") &&
      doOverlap(held.path, wanted.path),
  );
}

/** Files and folders (`src/`), in the form of `reservationPath`: the same, or one is within the other. */
const doOverlap = (a: string, b: string): boolean => a === b || isWithin(a, b) || isWithin(b, a);

const isWithin = (path: string, folder: string) => folder.endsWith("/") && path.startsWith(folder);
