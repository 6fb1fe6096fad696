import { type ChangeFeed, createChangeFeed } from "./change-feed.ts";
import { type JournalFold, JournalHeader, JournalLine } from "./journal-fold.ts";
import {
  damagedHeaderError,
  type JournalPart,
  newerFormatError,
  openJournalPart,
  removedError,
} from "./journal-part.ts";
import { createJournalState, type JournalState, type JournalStateOptions } from "./journal-state.ts";
import type { JournalOptions } from "./sealed-journal.ts";

/** Folds a journal file as it grows, and continues with the next file when it is replaced. */
export interface JournalReader<State, Entry, Change, Refusal> {
  readonly folded: JournalState<State, Entry, Change, Refusal>;
  readonly feed: ChangeFeed<Change>;
  /** The file that is read now. */
  readonly current: JournalPart | undefined;
  /** Folds everything that is in the file now. Undefined if there is no file yet. */
  refresh(): JournalPart | undefined;
  /** Unreadable records, for the user. The end of the file counts only while it is unreadable. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export function openJournalReader<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  options: Pick<JournalOptions, "path" | "watcher" | "isRequired"> & Pick<JournalStateOptions<Change>, "onPast">,
): JournalReader<State, Entry, Change, Refusal> {
  const { path, watcher, isRequired = false } = options;
  const feed = createChangeFeed<Change>({
    watch: (onHint) => watcher.follow(path, onHint),
    hold: () => watcher.hold(),
    refresh: () => void refresh(),
  });
  const folded = createJournalState(fold, { onPast: options.onPast, onChange: feed.push });
  let current: JournalPart | undefined;
  let last: Pick<JournalPart, "journal" | "epoch" | "sealed"> | undefined;
  let isClosed = false;
  const closing = new Set<Promise<void>>();

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
      const { records, damaged, nextOffset, tail } = part.file.readFrom(part.offset);
      if (part.offset === 0)
        begin(part, { first: records[0], damagedAt: damaged[0]?.offset, end: records[1]?.offset ?? nextOffset });
      for (const { offset, reason } of damaged) note(part, `${path}, byte ${offset}: not a record, ${reason}.`);
      for (const { offset, value } of records) if (offset > part.headerAt) take(part, { offset, value });
      part.offset = nextOffset;
      part.tailAt = tail?.offset;
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
    const { version, journal, epoch, snapshot } = header.data;
    if (version > fold.version) throw newerFormatError(path, version);
    if (last !== undefined && last.journal !== journal) throw removedError(path);
    // After folding the previous file to its seal, this state is already known. After a longer absence, compute the
    // difference.
    const isNext = last === undefined || (last.sealed && last.epoch + 1 === epoch);
    folded.restore(fold.restore(snapshot, path), { missed: !isNext, past: last === undefined });
    Object.assign(part, { journal, epoch, headerAt: first.offset, headerEnd: end });
  };

  const take = (part: JournalPart, { offset, value }: Line) => {
    const line = JournalLine.safeParse(value);
    const entry = line.success && "entry" in line.data ? fold.entry.safeParse(line.data.entry) : undefined;
    if (!line.success || entry?.success === false)
      return note(part, `${path}, byte ${offset}: a record in an unknown format.`);
    if (part.sealed) {
      // Records after the seal are void.
      if ("id" in line.data) folded.own.delete(line.data.id);
    } else if ("id" in line.data && entry !== undefined) folded.apply(line.data.id, entry.data);
    else part.sealed = true;
  };

  const note = (part: JournalPart, problem: string) => {
    part.isDamaged = true;
    folded.note(problem);
  };

  const leave = (part: JournalPart) => {
    if (part.headerAt >= 0) last = { journal: part.journal, epoch: part.epoch, sealed: part.sealed };
    current = undefined;
    const closed = part.file.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  return {
    folded,
    feed,
    get current() {
      return current;
    },
    refresh,
    problems() {
      const at = current?.tailAt;
      const end =
        at === undefined ? [] : [`${path}, byte ${at}: the last record is incomplete, and more may be missing.`];
      return [...folded.problems(), ...end];
    },
    async close() {
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
