import { isAlive, type ProcessIdentity } from "../platform/index.ts";
import type { HeldPlace } from "./spawn-book.ts";

/**
 * What earlier lives of a session still hold: whoever has opened a session is the only one to run it, wherever those
 * lives were, and whether or not it can be told that their processes are dead. With a lead's also goes what its process
 * held for members that ran in it; what has no session is from the lead, too.
 */
export function heldBefore(
  held: readonly HeldPlace[],
  { who, member, self }: { readonly who: string; readonly member?: string | undefined; readonly self: ProcessIdentity },
): readonly string[] {
  const isOwn = (place: HeldPlace) =>
    place.who === who || (member === undefined ? place.who === undefined : place.away === member);
  const over = new Set(member === undefined ? held.filter(isOwn).map(({ by }) => keyOf(by)) : []);
  over.delete(keyOf(self));
  over.delete(keyOf(undefined));
  return held.filter((place) => isOwn(place) || over.has(keyOf(place.by))).map(({ id }) => id);
}

/** Whether a process is dead, asked once for each. */
export function deathsSeenFrom(self: ProcessIdentity): (by: ProcessIdentity) => boolean {
  const known = new Map([[keyOf(self), false]]);
  return (by) => {
    const key = keyOf(by);
    const isDead = known.get(key) ?? isAlive(by, self) === "dead";
    known.set(key, isDead);
    return isDead;
  };
}

function keyOf(by: ProcessIdentity | undefined): string {
  return by ? JSON.stringify([by.pid, by.startedAt, by.bootId, by.machineId, by.host, by.pidNamespace]) : "";
}
