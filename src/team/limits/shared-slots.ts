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
 * The limits of a lead and its team, whose members run in several processes. Who asks for a place, has it and leaves it
 * stands in one file, in one order that everybody sees, and everybody plays that order through the same book in memory:
 * so all come to the same answer on who may begin, without a lock.
 */
export interface SharedSlots {
  readonly path: string;
  forSession(session: SlotClientOptions): AgentSlots;
  /** What is held here is given back. */
  close(): Promise<void>;
}

export interface SharedSlotsOptions {
  readonly path: string;
  /** The lead's; its members keep those that it has put down. */
  readonly settings?: LimitSettings | undefined;
  /** Before anything is written, where the folder may be missing. */
  readonly makeFolder?: (() => void) | undefined;
  readonly watcher: FolderWatcher;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly createId: CreateId;
}

/** How soon it is tried again when the disk was full. */
const retryMs = 1_000;

/** Whoever asks, or looks, does so again. */
const isDurable = ({ do: what }: SlotEntry) => what !== "ask" && what !== "back" && what !== "look";

/** Nothing is opened, made or watched before the first entry is to be put down. */
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
  /** Held or waited for by this process. */
  const ownSlots = new Set<string>();
  /** The sessions that use it here. */
  const openedSessions = new Set<string>();
  let offset = 0;
  /** The file that was read so far. */
  let knownFile: ReturnType<typeof fileAt>;
  let stopFollowing: (() => void) | undefined;
  /** What found no space: it goes into the file with whatever is written next. */
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

  /** The file was removed or cut while it was in use: what is known here is put down anew, unless somebody has done so. */
  const reopenFile = () => {
    file.close().catch(() => undefined); // nobody reads what was in it
    file = openFile();
    knownFile = undefined;
    const { records, nextOffset } = file.readFrom(0);
    const resetEntry = records.findLast(({ value }) => SlotEntry.safeParse(value).data?.do === "again");
    offset = resetEntry?.offset ?? nextOffset;
    knownFile = fileAt(path);
    if (!resetEntry) unwritten.unshift(ledger.snapshot());
  };

  /** Whoever put it down anew may not have known all that is so here. */
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

  /** One write, there for every process by the time this returns. */
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
    write([entry]).catch(() => undefined); // it is kept, and whoever asks next is told
  };

  const ready = () => {
    readEntries();
    if (unwritten.length > 0) write([]).catch(() => undefined); // it is kept
    const { maxConcurrentAgents, maxDepth, maxAgents, maxSpawnsPerMinute } = ledger.limits;
    const isSame =
      !limits ||
      (limits.maxConcurrentAgents === maxConcurrentAgents &&
        limits.maxDepth === maxDepth &&
        limits.maxAgents === maxAgents &&
        limits.maxSpawnsPerMinute === maxSpawnsPerMinute);
    if (!isSame && !unwritten.some((entry) => entry.do === "limit")) submit({ do: "limit", to: limits });
  };

  /** On a full disk nobody is started: it waits until there is space. */
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
    // What cannot be written is kept.
    // It is kept, and goes into the file with what is written next.
    if (ids.length > 0) write(ids.map((id) => ({ do: "leave", id, at }))).catch(() => undefined);
  };

  /** Who died with a place gives nothing back: others do it in its stead. */
  const releaseDead = () => {
    const isDead = createDeadProcessCheck(self());
    releaseAll(ledger.held().flatMap(({ id, by }) => (by && isDead(by) ? [id] : [])));
  };

  const onHint = () =>
    ignoreUnreadable(() => {
      readEntries();
      if (unwritten.length > 0) write([]).catch(() => undefined); // it is kept
      if (answers.size > 0) releaseDead();
    });

  /** The log as one session uses it: before it does anything, what its earlier lives held is given back. */
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
      // A member may rest for long, and its lead wait for what it held.
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
      // Where it cannot be written, others see that this process is gone.
      if (ownSlots.size > 0)
        await write([...ownSlots].map((id) => ({ do: "leave" as const, id, at }))).catch(() => undefined);
      await file.close();
    },
  };
}

/** For what is tried again: the file cannot be read for now, and whoever asks is told so. */
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

/** Undefined where there is none. */
function fileAt(path: string): { readonly identity: string; readonly size: number } | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { identity: `${found.dev}:${found.ino}`, size: found.size };
  } catch (error) {
    throw storageError("read", path, error);
  }
}
