import { createChangeFeed, type ChangeFeed } from "../team/journal/change-feed.ts";
import type { Journal } from "../team/journal/journal.ts";
import type { JournalFold } from "../team/journal/journal-fold.ts";
import { removedError } from "../team/journal/journal-part.ts";
import type { MemoryIo } from "./memory-io.ts";

/** The entries of one journal, folded once for all processes. */
export interface MemoryJournal<State, Entry, Change, Refusal> {
  /** A separate handle for each user. */
  open(io: MemoryIo): Journal<State, Entry, Change, Refusal>;
  /** Ends all followers and rejects later calls, like a file that is deleted. */
  remove(): void;
}

/** `snapshot` is the state at the start; without it the journal is empty. */
export function createMemoryJournal<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  { path, snapshot }: { readonly path: string; readonly snapshot?: unknown },
): MemoryJournal<State, Entry, Change, Refusal> {
  const state = snapshot === undefined ? fold.empty() : fold.restore(snapshot, path);
  const past: Change[] = snapshot === undefined ? [] : [...fold.difference(fold.empty(), state)];
  const feeds = new Set<ChangeFeed<Change>>();
  let isRemoved = false;

  const add = (entry: Entry): Change => {
    const change = fold.apply(state, entry);
    past.push(change);
    for (const feed of feeds) feed.push(change);
    return change;
  };

  const open = (io: MemoryIo): Journal<State, Entry, Change, Refusal> => {
    let isClosed = false;
    const feed = createChangeFeed<Change>({ watch: () => nothing, hold: () => nothing, refresh: () => void read() });
    feeds.add(feed);

    const read = (): State => {
      if (isClosed) throw new Error(`${path} is closed`);
      if (isRemoved) throw removedError(path);
      return state;
    };

    const leave = () => {
      feeds.delete(feed);
      feed.close();
    };
    const forget = io.onDeath(leave);

    return {
      read,
      fresh: () => io.turn(read),
      write: (entry) =>
        io.turn((append) => {
          const refusal = fold.refusalOf(read(), entry);
          if (refusal !== undefined) return { ok: false, refusal };
          let change: Change | undefined;
          append(path, [asRead(fold, entry)], (stored) => (change = add(stored)));
          return { ok: true, change: change as Change };
        }),
      follow: (signal) => io.whileAlive(feed.follow(signal)),
      history: () => io.turn(() => (read(), [...past])),
      problems: () => [],
      close: async () => {
        isClosed = true;
        forget();
        leave();
      },
    };
  };

  const remove = () => {
    isRemoved = true;
    for (const feed of feeds) feed.fail(removedError(path));
  };

  return { open, remove };
}

/** The entry as a process reads it from a file: a copy, without undefined fields. */
const asRead = <Entry>({ entry }: Pick<JournalFold<unknown, Entry, unknown, unknown>, "entry">, value: Entry): Entry =>
  entry.parse(JSON.parse(JSON.stringify(value)));

const nothing = () => undefined;
