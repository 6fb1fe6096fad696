/**
 * Records that any number of processes write and all fold to the same state. The position of a record decides its
 * effect.
 */
export interface Journal<State, Entry, Change, Refusal> {
  /** Returns the state that is known here, at once. The caller must not change it. */
  read(): State;
  /** Resolves with everything that was acknowledged before the call. */
  fresh(): Promise<State>;
  /**
   * Resolves when the entry is stored and its position has decided the result. An entry that is refused before that is
   * not written.
   */
  write(entry: Entry): Promise<WriteResult<Change, Refusal>>;
  /** Yields changes by any writer in order, from now on. */
  follow(signal: AbortSignal): AsyncIterable<Change>;
  /** Returns all known changes: first the state before the oldest record, as changes, then each recorded change. */
  history(): Promise<readonly Change[]>;
  /** Unreadable records and failed compactions, for the user. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export type WriteResult<Change, Refusal> =
  | { readonly ok: true; readonly change: Change }
  | { readonly ok: false; readonly refusal: Refusal };
