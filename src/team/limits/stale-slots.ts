import { isAlive, type ProcessIdentity } from "../../platform/index.ts";
import type { HeldSlot } from "./slot-ledger.ts";

/**
 * What earlier lives of a session still hold: whoever has opened a session is the only one to run it, wherever those
 * lives were, and whether or not it can be told that their processes are dead. With a lead's also goes what its process
 * held for members that ran in it; what has no session is from the lead, too.
 */
export function staleSlots(
  held: readonly HeldSlot[],
  {
    sessionId,
    member,
    self,
  }: { readonly sessionId: string; readonly member?: string | undefined; readonly self: ProcessIdentity },
): readonly string[] {
  const isOwn = (slot: HeldSlot) =>
    slot.who === sessionId || (member === undefined ? slot.who === undefined : slot.away === member);
  const endedProcesses = new Set(member === undefined ? held.filter(isOwn).map(({ by }) => processKey(by)) : []);
  endedProcesses.delete(processKey(self));
  endedProcesses.delete(processKey(undefined));
  return held.filter((slot) => isOwn(slot) || endedProcesses.has(processKey(slot.by))).map(({ id }) => id);
}

/** Whether a process is dead, asked once for each. */
export function createDeadProcessCheck(self: ProcessIdentity): (by: ProcessIdentity) => boolean {
  const deadByProcess = new Map([[processKey(self), false]]);
  return (by) => {
    const key = processKey(by);
    const isDead = deadByProcess.get(key) ?? isAlive(by, self) === "dead";
    deadByProcess.set(key, isDead);
    return isDead;
  };
}

function processKey(by: ProcessIdentity | undefined): string {
  return by ? JSON.stringify([by.pid, by.startedAt, by.bootId, by.machineId, by.host, by.pidNamespace]) : "";
}
