import { currentProcess, type ProcessIdentity } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { SharedSlotsOptions } from "./shared-slots.ts";
import type { SlotClientOptions, SlotLog, SlotRequestEntry } from "./slot-client.ts";
import type { SlotEntry } from "./slot-entry.ts";
import { openSlotFile } from "./slot-file.ts";
import { createSlotLedger } from "./slot-ledger.ts";
import { createSlotTimer } from "./slot-timer.ts";
import { createDeadProcessCheck, staleSlots } from "./stale-slots.ts";

/** Requests and looks are repeated by their callers, so they need not be kept. */
const isDurable = ({ do: what }: SlotEntry) => what !== "ask" && what !== "back" && what !== "look";

/** Writes the entries of this process, and applies those of all processes to the ledger in the order of the file. */
export function createSlotJournal(options: SharedSlotsOptions) {
  const { path, watcher, clock } = options;
  const file = openSlotFile(path, options.makeFolder);
  const answers: SlotLog["answers"] = new Map();
  const ledger = createSlotLedger((id, answer) => answers.get(id)?.(answer));
  const timer = createSlotTimer(() => ({ ledger, answers, submit, now: clock.now }), { clock });
  let identity: ProcessIdentity | undefined;
  const self = () => (identity ??= currentProcess());
  /** Slots held or waited for by this process. */
  const ownSlots = new Set<string>();
  /** The sessions that use it in this process. */
  const openedSessions = new Set<string>();
  let stopFollowing: (() => void) | undefined;
  /** Entries that could not be written. They are written with the next ones. */
  let unwritten: SlotEntry[] = [];

  const read = () => {
    if (file.isLost()) reopen();
    const entries = file.read();
    const dropped: SlotEntry[] = [];
    for (const entry of entries) {
      const before = entry.do === "again" ? ledger.snapshot().steps : [];
      ledger.apply(entry);
      dropped.push(...before.filter((step) => "id" in step && ownSlots.has(step.id)));
    }
    if (entries.length > 0) timer.schedule();
    if (entries.some((entry) => entry.do === "again")) restoreOwnSlots(dropped);
  };

  /** Writes the known state again, unless another process has done so. */
  const reopen = () => {
    if (!file.reopen().isRestored) unwritten.unshift(ledger.snapshot());
  };

  /** The process that wrote the state again may not have known all slots of this process. */
  const restoreOwnSlots = (dropped: readonly SlotEntry[]) => {
    const held = ledger.held();
    const heldIds = new Set(held.map(({ id }) => id));
    const missing = dropped.filter((entry) => "id" in entry && !heldIds.has(entry.id));
    if (missing.length > 0) write(missing).catch(() => unwritten.push(...missing.filter((entry) => !isDurable(entry))));
    releaseAll(
      held.flatMap(({ id, who }) => (who !== undefined && openedSessions.has(who) && !ownSlots.has(id) ? [id] : [])),
    );
  };

  /** One write, visible to all processes when this returns. */
  const write = async (entries: readonly SlotEntry[]): Promise<void> => {
    stopFollowing ??= watcher.follow(path, onHint);
    ignoreUnreadable(() => file.isLost() && reopen());
    const all = [...unwritten, ...entries];
    unwritten = [];
    const stored = file.append(all);
    stored.catch(() => unwritten.push(...all.filter(isDurable)));
    read();
    timer.schedule();
    await stored;
  };

  const readAndRetry = () => {
    read();
    if (unwritten.length > 0) write([]).catch(() => undefined); // kept for the next write
  };

  const submit = (entry: SlotEntry) => {
    track(ownSlots, entry);
    write([entry]).catch(() => undefined); // kept for the next write; the next `ask` reports it
  };

  const releaseAll = (ids: readonly string[]) => {
    const at = clock.now();
    for (const id of ids) ownSlots.delete(id);
    // Entries that cannot be written are kept and written with the next ones.
    if (ids.length > 0) write(ids.map((id) => ({ do: "leave", id, at }))).catch(() => undefined);
  };

  /** Releases the slots of dead processes. */
  const releaseDead = () => {
    const isDead = createDeadProcessCheck(self());
    releaseAll(ledger.held().flatMap(({ id, by }) => (by && isDead(by) ? [id] : [])));
  };

  const onHint = () =>
    ignoreUnreadable(() => {
      readAndRetry();
      if (answers.size > 0) releaseDead();
    });

  return {
    ledger,
    answers,
    self,
    readAndRetry,
    submit,
    /** Like `submit`, but rejects if the entry cannot be written. */
    async request(entry: SlotRequestEntry) {
      track(ownSlots, entry);
      await write([entry]);
      if (answers.size > 0) releaseDead();
    },
    isUnwritten: (what: SlotEntry["do"]) => unwritten.some((entry) => entry.do === what),
    /** Releases the slots of the session's previous runs, once. */
    openSession(session: SlotClientOptions) {
      if (openedSessions.has(session.sessionId)) return;
      read();
      openedSessions.add(session.sessionId);
      const staleIds = staleSlots(ledger.held(), { ...session, self: self() });
      releaseAll(staleIds.filter((id) => !ownSlots.has(id)));
    },
    async close() {
      stopFollowing?.();
      timer.close();
      const at = clock.now();
      // If this cannot be written, others notice that this process is gone.
      if (ownSlots.size > 0)
        await write([...ownSlots].map((id) => ({ do: "leave" as const, id, at }))).catch(() => undefined);
      await file.close();
    },
  };
}

/** Keeps the ids of the slots that a process holds or waits for. */
function track(ownSlots: Set<string>, entry: SlotEntry): void {
  if (entry.do === "ask" || entry.do === "take" || entry.do === "away") ownSlots.add(entry.id);
  if (entry.do === "leave") ownSlots.delete(entry.id);
}

/** Ignores a file that cannot be read now. The action is repeated later, and `ask` reports the error. */
export function ignoreUnreadable(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
  }
}
