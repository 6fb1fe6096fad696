import { statSync } from "node:fs";
import { isDiskFull } from "../../agent/index.ts";
import {
  type Clock,
  type CreateId,
  currentProcess,
  type FolderWatcher,
  type ProcessIdentity,
  openLineFile,
  storageError,
  wasRemoved,
} from "../../platform/index.ts";
import { type LimitSettings, TroupeError } from "../../protocol/index.ts";
import { createDeadProcessCheck, staleSlots } from "./stale-slots.ts";
import { createSlotLedger, SlotEntry } from "./slot-ledger.ts";
import { createSlotClient, type SlotClientOptions, type SlotLog } from "./slot-client.ts";
import { resolveAgentLimits, type AgentSlots } from "./agent-slots.ts";
import { createSlotTimer } from "./slot-timer.ts";

/**
 * The agent slots of a lead and its team, whose members run in several processes. All requests and releases are in one
 * file, in one order. Every process applies them to the same in-memory ledger. So all agree which agent may start,
 * without a lock.
 */
export interface SharedSlots {
  readonly path: string;
  forSession(session: SlotClientOptions): AgentSlots;
  /** Releases the slots held here. */
  close(): Promise<void>;
}

export interface SharedSlotsOptions {
  readonly path: string;
  /** The lead's limits. Its members use the limits that the lead has written. */
  readonly settings?: LimitSettings | undefined;
  /** Called before the first write, because the folder may be missing. */
  readonly makeFolder?: (() => void) | undefined;
  readonly watcher: FolderWatcher;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly createId: CreateId;
}

/** The delay before a retry on a full disk. */
const retryMs = 1_000;

/** Requests and looks are repeated by their callers, so they need not be kept. */
const isDurable = ({ do: what }: SlotEntry) => what !== "ask" && what !== "back" && what !== "look";

/** Opens, creates and watches nothing before the first entry is written. */
export function createSharedSlots(options: SharedSlotsOptions): SharedSlots {
  const { path, settings, watcher, clock, createId } = options;
  const openFile = () => openLineFile(path, { durability: "process" });
  let file = openFile();
  const answers: SlotLog["answers"] = new Map();
  const ledger = createSlotLedger((id, answer) => answers.get(id)?.(answer));
  const timer = createSlotTimer(() => ({ ledger, answers, submit, now: clock.now }), { clock });
  let identity: ProcessIdentity | undefined;
  const self = () => (identity ??= currentProcess());
  const limits = settings && resolveAgentLimits(settings);
  /** Slots held or waited for by this process. */
  const ownSlots = new Set<string>();
  /** The sessions that use it in this process. */
  const openedSessions = new Set<string>();
  let offset = 0;
  /** The file that was read so far. */
  let knownFile: ReturnType<typeof fileAt>;
  let stopFollowing: (() => void) | undefined;
  /** Entries that could not be written. They are written with the next ones. */
  let unwritten: SlotEntry[] = [];

  const readEntries = () => {
    if (isLost()) reopenFile();
    const { records, nextOffset } = file.readFrom(offset);
    offset = nextOffset;
    if (records.length > 0) knownFile ??= fileAt(path);
    const dropped: SlotEntry[] = [];
    let wasReset = false;
    for (const entry of entriesOf(records)) {
      const before = entry.do === "again" ? ledger.snapshot().steps : [];
      ledger.apply(entry);
      if (entry.do !== "again") continue;
      wasReset = true;
      dropped.push(...before.filter((step) => "id" in step && ownSlots.has(step.id)));
    }
    if (records.length > 0) timer.schedule();
    if (wasReset) restoreOwnSlots(dropped);
  };

  const isLost = () => {
    if (offset === 0) return false;
    const found = fileAt(path);
    return !found || found.size < offset || found.identity !== knownFile?.identity;
  };

  /**
   * The file was removed or truncated while in use. Writes the known state again, unless another process has done so.
   */
  const reopenFile = () => {
    file.close().catch(() => undefined); // its content is no longer needed
    file = openFile();
    knownFile = undefined;
    const { records, nextOffset } = file.readFrom(0);
    const resetEntry = records.findLast(({ value }) => SlotEntry.safeParse(value).data?.do === "again");
    offset = resetEntry?.offset ?? nextOffset;
    knownFile = fileAt(path);
    if (!resetEntry) unwritten.unshift(ledger.snapshot());
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

  const append = async (entries: readonly SlotEntry[]): Promise<void> => {
    if (offset === 0 && entries.length > 0) options.makeFolder?.();
    await file.append(entries);
  };

  /** One write, visible to all processes when this returns. */
  const write = async (entries: readonly SlotEntry[]): Promise<void> => {
    stopFollowing ??= watcher.follow(path, onHint);
    ignoreUnreadable(() => isLost() && reopenFile());
    const all = [...unwritten, ...entries];
    unwritten = [];
    const stored = append(all);
    stored.catch(() => unwritten.push(...all.filter(isDurable)));
    readEntries();
    timer.schedule();
    await stored;
  };

  const trackOwnSlot = (entry: SlotEntry) => {
    if (entry.do === "ask" || entry.do === "take" || entry.do === "away") ownSlots.add(entry.id);
    if (entry.do === "leave") ownSlots.delete(entry.id);
  };

  const submit = (entry: SlotEntry) => {
    trackOwnSlot(entry);
    write([entry]).catch(() => undefined); // kept for the next write; the next `ask` reports it
  };

  const ready = () => {
    readEntries();
    if (unwritten.length > 0) write([]).catch(() => undefined); // kept for the next write
    const { maxConcurrentAgents, maxDepth, maxAgents, maxSpawnsPerMinute } = ledger.limits;
    const isSame =
      !limits ||
      (limits.maxConcurrentAgents === maxConcurrentAgents &&
        limits.maxDepth === maxDepth &&
        limits.maxAgents === maxAgents &&
        limits.maxSpawnsPerMinute === maxSpawnsPerMinute);
    if (!isSame && !unwritten.some((entry) => entry.do === "limit")) submit({ do: "limit", to: limits });
  };

  /** On a full disk no agent starts: it waits for space. */
  const ask: SlotLog["ask"] = async (entry, signal) => {
    trackOwnSlot(entry);
    for (;;) {
      try {
        await write([entry]);
        return answers.size > 0 ? releaseDead() : undefined;
      } catch (error) {
        if (wasRemoved(error)) continue;
        if (!isDiskFull(error)) throw error;
        await clock.sleep(retryMs, signal);
      }
    }
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
      readEntries();
      if (unwritten.length > 0) write([]).catch(() => undefined); // kept for the next write
      if (answers.size > 0) releaseDead();
    });

  /** The log for one session. Its first use releases the slots of the session's previous runs. */
  const logOf = (session: SlotClientOptions): SlotLog => {
    const openSession = () => {
      if (openedSessions.has(session.sessionId)) return;
      readEntries();
      openedSessions.add(session.sessionId);
      const staleIds = staleSlots(ledger.held(), { ...session, self: self() });
      releaseAll(staleIds.filter((id) => !ownSlots.has(id)));
    };
    return {
      ledger,
      answers,
      by: self,
      newId: () => createId("place"),
      now: clock.now,
      ready() {
        openSession();
        ready();
      },
      submit(entry) {
        ignoreUnreadable(openSession);
        submit(entry);
      },
      ask(entry, signal) {
        openSession();
        return ask(entry, signal);
      },
      // A resumed member may stay idle for long while its lead waits for the slots it held.
      onReplay: () => session.member !== undefined && ignoreUnreadable(openSession),
    };
  };

  return {
    path,
    forSession: (session) => createSlotClient(logOf(session), session),
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

/** Ignores a file that cannot be read now. The action is repeated later, and `ask` reports the error. */
function ignoreUnreadable(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
  }
}

function entriesOf(records: readonly { readonly value: unknown }[]): readonly SlotEntry[] {
  return records.flatMap(({ value }) => SlotEntry.safeParse(value).data ?? []);
}

/** Undefined if there is no file. */
function fileAt(path: string): { readonly identity: string; readonly size: number } | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { identity: `${found.dev}:${found.ino}`, size: found.size };
  } catch (error) {
    throw storageError("read", path, error);
  }
}
