import type { FolderWatcher } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import { type CompactOptions, createCompactor, createJournalFile } from "./compact-journal.ts";
import { createChangeFeed } from "./change-feed.ts";
import type { Journal, WriteResult } from "./journal.ts";
import { type JournalFold, JournalHeader, JournalLine } from "./journal-fold.ts";
import {
  damagedHeaderError,
  newerFormatError,
  openJournalPart,
  type JournalPart,
  removedError,
  stuckCompactionError,
} from "./journal-part.ts";

/**
 * A line file that any number of processes write and fold without a lock. The fold decides the effect of a record by
 * its position, so all processes agree on the winner. The file stays small: a `sealed` line ends it, later lines are
 * void, and its replacement begins with the state at the seal.
 */
export interface SealedJournal<State, Entry, Change, Refusal> extends Journal<State, Entry, Change, Refusal> {
  /** Returns the state with everything that is in the file now. A missing file counts as empty. */
  read(): State;
}

export interface JournalOptions extends CompactOptions {
  readonly path: string;
  readonly watcher: FolderWatcher;
  /** The file must exist: a missing file is an error, and none is created. */
  readonly isRequired?: boolean;
  /** Compacted above this size if that makes it much smaller. */
  readonly limitBytes?: number;
  /** `process` is for benchmarks: without the sync, a power cut loses acknowledged entries. */
  readonly durability?: "disk" | "process";
}

interface Past<Change> {
  /** Also called for the initial state of the file, as changes, when it is read from its beginning. */
  readonly onPast?: (change: Change) => void;
}

export function openSealedJournal<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  options: JournalOptions & Past<Change>,
): SealedJournal<State, Entry, Change, Refusal> {
  const { path, clock, createId, watcher, isRequired = false } = options;
  const { limitBytes = 1_000_000, durability = "disk" } = options;
  let state = fold.empty();
  let current: JournalPart | undefined;
  let last: Pick<JournalPart, "journal" | "epoch" | "sealed"> | undefined;
  let isClosed = false;
  let lastTurn: Promise<void> = Promise.resolve();
  let finishing: Promise<void> | undefined;
  const compactor = createCompactor(path, options);
  const closing = new Set<Promise<void>>();
  /** Own records in the file, and their result once the fold has reached them. */
  const own = new Map<string, Fate<Change, Refusal> | undefined>();
  const problems: string[] = [];

  const refresh = (): JournalPart | undefined => {
    if (isClosed) throw new Error(`${path} is closed`);
    for (;;) {
      current ??= openJournalPart(path);
      if (current === undefined) {
        if (last !== undefined || isRequired) throw removedError(path);
        return undefined;
      }
      const before = current.file.locate();
      if (before.at === "here" && before.size === current.offset && before.size > 0) return current;
      readOn(current);
      const { at } = current.file.locate();
      if (at === "here") return current;
      leave(current);
      if (at === "removed") throw removedError(path);
    }
  };

  const readOn = (part: JournalPart) => {
    try {
      const { records, damaged, nextOffset } = part.file.readFrom(part.offset);
      if (part.offset === 0)
        begin(part, { first: records[0], damagedAt: damaged[0]?.offset, end: records[1]?.offset ?? nextOffset });
      for (const { offset, reason } of damaged) note(part, `${path}, byte ${offset}: not a record, ${reason}.`);
      for (const { offset, value } of records) if (offset > part.headerAt) take(part, { offset, value });
      part.offset = nextOffset;
    } catch (error) {
      leave(part);
      throw error;
    }
  };

  const begin = (part: JournalPart, start: { first: Line | undefined; damagedAt: number | undefined; end: number }) => {
    const { first, damagedAt, end } = start;
    const header = JournalHeader.safeParse(first?.value);
    if (!header.success || first === undefined || (damagedAt ?? Infinity) < first.offset)
      throw damagedHeaderError(path);
    const { version, journal, epoch } = header.data;
    if (version > fold.version) throw newerFormatError(path, version);
    if (last !== undefined && last.journal !== journal) throw removedError(path);
    const restored = fold.restore(header.data.snapshot, path);
    // After folding the previous file to its seal, this state is already known. After a longer absence, compute the
    // difference.
    const isNext = last === undefined || (last.sealed && last.epoch + 1 === epoch);
    const missed = isNext ? [] : fold.difference(state, restored);
    if (options.onPast && last === undefined) fold.difference(state, restored).forEach(options.onPast);
    state = restored;
    Object.assign(part, { journal, epoch, headerAt: first.offset, headerEnd: end });
    for (const change of missed) feed.push(change);
  };

  const take = (part: JournalPart, { offset, value }: Line) => {
    const line = JournalLine.safeParse(value);
    const entry = line.success && "entry" in line.data ? fold.entry.safeParse(line.data.entry) : undefined;
    if (!line.success || entry?.success === false)
      return note(part, `${path}, byte ${offset}: a record in an unknown format.`);
    if (part.sealed) {
      if ("id" in line.data && own.has(line.data.id)) own.set(line.data.id, { kind: "void" });
      return;
    }
    if (!("id" in line.data) || entry === undefined) {
      part.sealed = true;
      return;
    }
    const refusal = fold.refusalOf(state, entry.data);
    const change = refusal === undefined ? fold.apply(state, entry.data) : undefined;
    if (own.has(line.data.id)) {
      own.set(
        line.data.id,
        change === undefined ? { kind: "refused", refusal: refusal as Refusal } : { kind: "done", change },
      );
    }
    if (change === undefined) return;
    options.onPast?.(change);
    feed.push(change);
  };

  const note = (part: JournalPart, problem: string) => {
    part.isDamaged = true;
    if (problems.length < maxProblems && !problems.includes(problem)) problems.push(problem);
  };

  const leave = (part: JournalPart) => {
    if (part.headerAt >= 0) last = { journal: part.journal, epoch: part.epoch, sealed: part.sealed };
    current = undefined;
    const closed = part.file.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  const write = async (entry: Entry): Promise<WriteResult<Change, Refusal>> => {
    const { fate, part } = await inTurn(() => place(entry));
    if (fate.kind === "refused") return { ok: false, refusal: fate.refusal };
    // If the file was just replaced, the new file's initial state contains the entry.
    if (durability === "disk") await (current ?? part).file.sync();
    if (isOverLimit(part)) await seal(part);
    return { ok: true, change: fate.change };
  };

  /** Runs in the order of the calls; the syncs run in parallel. */
  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const result = lastTurn.then(action);
    lastTurn = result.then(nothing, nothing);
    return result;
  };

  const place = async (entry: Entry): Promise<{ fate: Decided<Change, Refusal>; part: JournalPart }> => {
    const giveUpAt = clock.monotonic() + patienceMs;
    for (;;) {
      const part = refresh();
      if (part === undefined) {
        await createJournalFile(path, { version: fold.version, snapshot: fold.snapshot(state), createId });
        continue;
      }
      if (part.sealed) {
        await moveOn(part, giveUpAt);
        continue;
      }
      const refusal = fold.refusalOf(state, entry);
      const fate = refusal === undefined ? append(part, entry) : ({ kind: "refused", refusal } as const);
      if (fate.kind !== "void") return { fate, part };
    }
  };

  /** Synchronous: nothing else of this process runs between the write and the read, so the file stays the same. */
  const append = (part: JournalPart, entry: Entry): Fate<Change, Refusal> => {
    const id = createId<string>("rec");
    own.set(id, undefined);
    try {
      part.file.append({ id, entry });
      refresh();
      const fate = own.get(id);
      if (fate === undefined) throw removedError(path);
      return fate;
    } finally {
      own.delete(id);
    }
  };

  const isOverLimit = (part: JournalPart) =>
    part === current && !part.sealed && part.offset > Math.max(limitBytes, 4 * part.headerEnd);

  /** The write itself has succeeded, so a failed compaction must not make it fail. */
  const seal = async (part: JournalPart) => {
    try {
      part.file.append({ sealed: createId<string>("rec") });
      refresh();
      await finish(part);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      if (problems.length < maxProblems) problems.push(`cannot compact ${path}: ${error.message}`);
    }
  };

  const moveOn = async (part: JournalPart, giveUpAt: number) => {
    await finish(part);
    if (refresh()?.sealed !== true) return;
    if (clock.monotonic() > giveUpAt) throw stuckCompactionError(path);
    await clock.sleep(waitMs);
  };

  const finish = (part: JournalPart): Promise<void> => {
    finishing ??= compact(part).finally(() => {
      finishing = undefined;
    });
    return finishing;
  };

  /** Replaces a sealed file by the next one, unless another process has done or is doing so. */
  const compact = async (part: JournalPart) => {
    if (refresh() !== part || !part.sealed) return;
    const { journal, epoch, isDamaged } = part;
    const header = { version: fold.version, journal, epoch: epoch + 1, snapshot: fold.snapshot(state) };
    await compactor.compact({
      header,
      keepOld: isDamaged,
      // While the file is current it stays open, so no other file can be mistaken for it.
      isStillThere: () => refresh() === part,
    });
  };

  const feed = createChangeFeed<Change>({
    watch: (onHint) => watcher.follow(path, onHint),
    hold: () => watcher.hold(),
    refresh: () => void refresh(),
  });

  return {
    read: () => {
      refresh();
      return state;
    },
    fresh: async () => {
      refresh();
      return state;
    },
    write,
    follow: feed.follow,
    history: async () => {
      const past: Change[] = [];
      const again = openSealedJournal(fold, { ...options, onPast: (change) => void past.push(change) });
      try {
        again.read();
        return past;
      } finally {
        await again.close();
      }
    },
    problems: () => [...problems],
    close: async () => {
      await lastTurn;
      await Promise.allSettled([finishing]);
      if (isClosed) return;
      isClosed = true;
      feed.close();
      if (current !== undefined) leave(current);
      await Promise.all(closing);
    },
  };
}

interface Line {
  readonly offset: number;
  readonly value: unknown;
}

type Decided<Change, Refusal> =
  | { readonly kind: "done"; readonly change: Change }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Void: the record is after a seal. */
type Fate<Change, Refusal> = Decided<Change, Refusal> | { readonly kind: "void" };

const nothing = () => undefined;

const maxProblems = 20;
const patienceMs = 10_000;
const waitMs = 5;
