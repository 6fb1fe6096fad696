import { statSync } from "node:fs";
import { isDiskFull } from "../agent/index.ts";
import {
  type Clock,
  type CreateId,
  currentProcess,
  type FolderWatcher,
  type ProcessIdentity,
  openLineFile,
  storageError,
  wasRemoved,
} from "../platform/index.ts";
import { type LimitSettings, TroupeError } from "../protocol/index.ts";
import { deathsSeenFrom, heldBefore } from "./held-before.ts";
import { createSpawnBook, SpawnEntry } from "./spawn-book.ts";
import { createSpawnDesk, type SpawnDeskOptions, type SpawnLog } from "./spawn-desk.ts";
import { capsOf, type SpawnLimits } from "./spawn-limits.ts";
import { createSpawnTick } from "./spawn-tick.ts";

/**
 * The limits of a lead and its team, whose members run in several processes. Who asks for a place, has it and leaves it
 * stands in one file, in one order that everybody sees, and everybody plays that order through the same book in memory:
 * so all come to the same answer on who may begin, without a lock.
 */
export interface TeamLimits {
  readonly path: string;
  of(session: SpawnDeskOptions): SpawnLimits;
  /** What is held here is given back. */
  close(): Promise<void>;
}

export interface TeamLimitsOptions {
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
const isKept = ({ do: what }: SpawnEntry) => what !== "ask" && what !== "back" && what !== "look";

/** Nothing is opened, made or watched before the first entry is to be put down. */
export function createTeamLimits(options: TeamLimitsOptions): TeamLimits {
  const { path, settings, watcher, clock, createId } = options;
  const openFile = () => openLineFile(path, { durability: "process" });
  let file = openFile();
  const answers: SpawnLog["answers"] = new Map();
  const book = createSpawnBook((id, came) => answers.get(id)?.(came));
  const tick = createSpawnTick(() => ({ book, answers, put, now: clock.now }), { clock });
  let identity: ProcessIdentity | undefined;
  const self = () => (identity ??= currentProcess());
  const caps = settings && capsOf(settings);
  /** Held or waited for by this process. */
  const own = new Set<string>();
  /** The sessions that use it here. */
  const begun = new Set<string>();
  let offset = 0;
  /** The file that was read so far. */
  let known: ReturnType<typeof fileAt>;
  let unfollow: (() => void) | undefined;
  /** What found no space: it goes into the file with whatever is written next. */
  let unwritten: SpawnEntry[] = [];

  const play = () => {
    if (isLost()) beginAgain();
    const { records, nextOffset } = file.readFrom(offset);
    offset = nextOffset;
    if (records.length > 0) known ??= fileAt(path);
    const dropped: SpawnEntry[] = [];
    let isAgain = false;
    for (const entry of entriesOf(records)) {
      const before = entry.do === "again" ? book.told().steps : [];
      book.apply(entry);
      if (entry.do !== "again") continue;
      isAgain = true;
      dropped.push(...before.filter((step) => "id" in step && own.has(step.id)));
    }
    if (records.length > 0) tick.look();
    if (isAgain) putRight(dropped);
  };

  const isLost = () => {
    if (offset === 0) return false;
    const found = fileAt(path);
    return !found || found.size < offset || found.identity !== known?.identity;
  };

  /** The file was removed or cut while it was in use: what is known here is put down anew, unless somebody has done so. */
  const beginAgain = () => {
    file.close().catch(() => undefined); // nobody reads what was in it
    file = openFile();
    known = undefined;
    const { records, nextOffset } = file.readFrom(0);
    const again = records.findLast(({ value }) => SpawnEntry.safeParse(value).data?.do === "again");
    offset = again?.offset ?? nextOffset;
    known = fileAt(path);
    if (!again) unwritten.unshift(book.told());
  };

  /** Whoever put it down anew may not have known all that is so here. */
  const putRight = (dropped: readonly SpawnEntry[]) => {
    const held = book.held();
    const there = new Set(held.map(({ id }) => id));
    const missing = dropped.filter((entry) => "id" in entry && !there.has(entry.id));
    if (missing.length > 0) write(missing).catch(() => unwritten.push(...missing.filter((entry) => !isKept(entry))));
    leaveAll(held.flatMap(({ id, who }) => (who !== undefined && begun.has(who) && !own.has(id) ? [id] : [])));
  };

  const append = async (entries: readonly SpawnEntry[]): Promise<void> => {
    if (offset === 0 && entries.length > 0) options.makeFolder?.();
    await file.append(entries);
  };

  /** One write, there for every process by the time this returns. */
  const write = async (entries: readonly SpawnEntry[]): Promise<void> => {
    unfollow ??= watcher.follow(path, onHint);
    unlessUnreadable(() => isLost() && beginAgain());
    const all = [...unwritten, ...entries];
    unwritten = [];
    const stored = append(all);
    stored.catch(() => unwritten.push(...all.filter(isKept)));
    play();
    tick.look();
    await stored;
  };

  const note = (entry: SpawnEntry) => {
    if (entry.do === "ask" || entry.do === "take" || entry.do === "away") own.add(entry.id);
    if (entry.do === "leave") own.delete(entry.id);
  };

  const put = (entry: SpawnEntry) => {
    note(entry);
    write([entry]).catch(() => undefined); // it is kept, and whoever asks next is told
  };

  const ready = () => {
    play();
    if (unwritten.length > 0) write([]).catch(() => undefined); // it is kept
    const { maxConcurrentAgents, maxDepth, maxAgents, maxSpawnsPerMinute } = book.limits;
    const isSame =
      !caps ||
      (caps.maxConcurrentAgents === maxConcurrentAgents &&
        caps.maxDepth === maxDepth &&
        caps.maxAgents === maxAgents &&
        caps.maxSpawnsPerMinute === maxSpawnsPerMinute);
    if (!isSame && !unwritten.some((entry) => entry.do === "limit")) put({ do: "limit", to: caps });
  };

  /** On a full disk nobody is started: it waits until there is space. */
  const ask: SpawnLog["ask"] = async (entry, signal) => {
    note(entry);
    for (;;) {
      try {
        await write([entry]);
        return answers.size > 0 ? buryTheDead() : undefined;
      } catch (error) {
        if (wasRemoved(error)) continue;
        if (!isDiskFull(error)) throw error;
        await clock.sleep(retryMs, signal);
      }
    }
  };

  const leaveAll = (ids: readonly string[]) => {
    const at = clock.now();
    for (const id of ids) own.delete(id);
    // What cannot be written is kept.
    // It is kept, and goes into the file with what is written next.
    if (ids.length > 0) write(ids.map((id) => ({ do: "leave", id, at }))).catch(() => undefined);
  };

  /** Who died with a place gives nothing back: others do it in its stead. */
  const buryTheDead = () => {
    const isDead = deathsSeenFrom(self());
    leaveAll(book.held().flatMap(({ id, by }) => (by && isDead(by) ? [id] : [])));
  };

  const onHint = () =>
    unlessUnreadable(() => {
      play();
      if (unwritten.length > 0) write([]).catch(() => undefined); // it is kept
      if (answers.size > 0) buryTheDead();
    });

  /** The log as one session uses it: before it does anything, what its earlier lives held is given back. */
  const logOf = (session: SpawnDeskOptions): SpawnLog => {
    const begin = () => {
      if (begun.has(session.who)) return;
      play();
      begun.add(session.who);
      const left = heldBefore(book.held(), { ...session, self: self() });
      leaveAll(left.filter((id) => !own.has(id)));
    };
    return {
      book,
      answers,
      by: self,
      newId: () => createId("place"),
      now: clock.now,
      ready() {
        begin();
        ready();
      },
      put(entry) {
        unlessUnreadable(begin);
        put(entry);
      },
      ask(entry, signal) {
        begin();
        return ask(entry, signal);
      },
      // A member may rest for long, and its lead wait for what it held.
      onRecall: () => session.member !== undefined && unlessUnreadable(begin),
    };
  };

  return {
    path,
    of: (session) => createSpawnDesk(logOf(session), session),
    async close() {
      unfollow?.();
      tick.close();
      const at = clock.now();
      // Where it cannot be written, others see that this process is gone.
      if (own.size > 0) await write([...own].map((id) => ({ do: "leave" as const, id, at }))).catch(() => undefined);
      await file.close();
    },
  };
}

/** For what is tried again: the file cannot be read for now, and whoever asks is told so. */
function unlessUnreadable(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
  }
}

function entriesOf(records: readonly { readonly value: unknown }[]): readonly SpawnEntry[] {
  return records.flatMap(({ value }) => SpawnEntry.safeParse(value).data ?? []);
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
