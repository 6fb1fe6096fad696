/** Records that any number of processes write and all fold to the same: what each comes to is decided by its place. */
export interface Journal<State, Entry, Change, Refusal> {
  /** As far as it is known here, at once; the caller must not change it. */
  read(): State;
  /** With everything that anybody has acknowledged before the call. */
  fresh(): Promise<State>;
  /** Resolves when the entry is stored and its place has decided. What is refused by then is not written at all. */
  write(entry: Entry): Promise<WriteResult<Change, Refusal>>;
  /** In order, from now on, whoever wrote them; pushed. */
  follow(signal: AbortSignal): AsyncIterable<Change>;
  /** What has been so far: each change that is still written down, after what had come of all before them, as changes. */
  history(): Promise<readonly Change[]>;
  /** Records that could not be read, and compactions that failed: for the user. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export type WriteResult<Change, Refusal> =
  | { readonly ok: true; readonly change: Change }
  | { readonly ok: false; readonly refusal: Refusal };
