import { isAlive, type ProcessIdentity } from "../../platform/index.ts";
import type { HeldSlot } from "./slot-ledger.ts";

/**
 * The slots that previous runs of a session still hold. Only one process runs a session, so these are stale even if its
 * old processes cannot be checked. For a lead this includes slots that its old processes held for in-process members,
 * and slots without a session.
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

/** Returns a check that asks once per process whether it is dead. */
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
