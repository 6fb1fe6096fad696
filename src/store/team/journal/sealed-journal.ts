import { createSerialQueue, type FolderWatcher } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import { type CompactOptions, createCompactor, createJournalFile } from "./compact-journal.ts";
import type { Journal, WriteResult } from "./journal.ts";
import type { JournalFold } from "./journal-fold.ts";
import { type JournalPart, removedError, stuckCompactionError } from "./journal-part.ts";
import { openJournalReader } from "./journal-reader.ts";

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

export function openSealedJournal<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  options: JournalOptions,
): SealedJournal<State, Entry, Change, Refusal> {
  const { path, clock, createId } = options;
  const { limitBytes = 1_000_000, durability = "disk" } = options;
  const reader = openJournalReader(fold, options);
  const { refresh, feed, folded } = reader;
  const compactor = createCompactor(path, options);
  const queue = createSerialQueue();
  let finishing: Promise<void> | undefined;

  const write = async (entry: Entry): Promise<WriteResult<Change, Refusal>> => {
    const { effect, part } = await queue.run(() => place(entry));
    if (!effect.ok) return effect;
    // If the file was just replaced, the new file's initial state contains the entry.
    if (durability === "disk") await (reader.current ?? part).file.sync();
    if (isOverLimit(part)) await seal(part);
    return effect;
  };

  const place = async (entry: Entry): Promise<{ effect: WriteResult<Change, Refusal>; part: JournalPart }> => {
    const giveUpAt = clock.monotonic() + patienceMs;
    for (;;) {
      const part = refresh();
      if (part === undefined) {
        await createJournalFile(path, { version: fold.version, snapshot: fold.snapshot(folded.state), createId });
        continue;
      }
      if (part.sealed) {
        await moveOn(part, giveUpAt);
        continue;
      }
      const refusal = fold.refusalOf(folded.state, entry);
      const effect = refusal === undefined ? append(part, entry) : ({ ok: false, refusal } as const);
      if (effect !== "void") return { effect, part };
    }
  };

  /** Synchronous: nothing else of this process runs between the write and the read, so the file stays the same. */
  const append = (part: JournalPart, entry: Entry): WriteResult<Change, Refusal> | "void" => {
    const id = createId<string>("rec");
    folded.own.set(id, undefined);
    try {
      part.file.append({ id, entry });
      refresh();
      if (!folded.own.has(id)) return "void";
      const effect = folded.own.get(id);
      if (effect === undefined) throw removedError(path);
      return effect;
    } finally {
      folded.own.delete(id);
    }
  };

  const isOverLimit = (part: JournalPart) =>
    part === reader.current && !part.sealed && part.offset > Math.max(limitBytes, 4 * part.headerEnd);

  /** The write itself has succeeded, so a failed compaction must not make it fail. */
  const seal = async (part: JournalPart) => {
    try {
      part.file.append({ sealed: createId<string>("rec") });
      refresh();
      await finish(part);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      folded.note(`cannot compact ${path}: ${error.message}`);
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
    const header = { version: fold.version, journal, epoch: epoch + 1, snapshot: fold.snapshot(folded.state) };
    await compactor.compact({
      header,
      keepOld: isDamaged,
      // While the file is current it stays open, so no other file can be mistaken for it.
      isStillThere: () => refresh() === part,
    });
  };

  return {
    read: () => {
      refresh();
      return folded.state;
    },
    fresh: async () => {
      refresh();
      return folded.state;
    },
    write,
    follow: feed.follow,
    history: () => readPast(fold, options),
    problems: reader.problems,
    close: async () => {
      await queue.settled();
      await Promise.allSettled([finishing]);
      await reader.close();
    },
  };
}

async function readPast<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  options: JournalOptions,
): Promise<readonly Change[]> {
  const past: Change[] = [];
  const reader = openJournalReader(fold, { ...options, onPast: (change) => void past.push(change) });
  try {
    reader.refresh();
    return past;
  } finally {
    await reader.close();
  }
}

const patienceMs = 10_000;
const waitMs = 5;
