import type { WriteResult } from "./journal.ts";
import type { JournalFold } from "./journal-fold.ts";

/** The state that the records of a journal give, and the effect of the records of this process. */
export interface JournalState<State, Entry, Change, Refusal> {
  readonly state: State;
  /** Own records in the journal, and their effect once the fold has reached them. A void record is removed. */
  readonly own: Map<string, WriteResult<Change, Refusal> | undefined>;
  apply(id: string, entry: Entry): void;
  /** The journal begins with this state. `missed`: the followers have not seen the difference. */
  restore(restored: State, options: { readonly missed: boolean; readonly past: boolean }): void;
  note(problem: string): void;
  /** For the user. */
  problems(): readonly string[];
}

export interface JournalStateOptions<Change> {
  /** Called for all changes, also for the initial state as changes. */
  readonly onPast?: ((change: Change) => void) | undefined;
  /** Called for changes that followers have not seen. */
  readonly onChange: (change: Change) => void;
}

export function createJournalState<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  { onPast, onChange }: JournalStateOptions<Change>,
): JournalState<State, Entry, Change, Refusal> {
  let state = fold.empty();
  const own: JournalState<State, Entry, Change, Refusal>["own"] = new Map();
  const problems: string[] = [];
  return {
    get state() {
      return state;
    },
    own,
    apply(id, entry) {
      const refusal = fold.refusalOf(state, entry);
      const change = refusal === undefined ? fold.apply(state, entry) : undefined;
      if (own.has(id))
        own.set(id, change === undefined ? { ok: false, refusal: refusal as Refusal } : { ok: true, change });
      if (change === undefined) return;
      onPast?.(change);
      onChange(change);
    },
    restore(restored, { missed, past }) {
      const changes = missed || (past && onPast) ? fold.difference(state, restored) : [];
      if (past && onPast) changes.forEach(onPast);
      state = restored;
      if (missed) changes.forEach(onChange);
    },
    note(problem) {
      if (problems.length < maxProblems && !problems.includes(problem)) problems.push(problem);
    },
    problems: () => [...problems],
  };
}

const maxProblems = 20;
