import * as z from "zod";

/**
 * The meaning of a journal's entries. Pure: the same entries in the same order give the same state in every process.
 */
export interface JournalFold<State, Entry, Change, Refusal> {
  /**
   * The format version of entries and snapshots. A process that knows only an older version must not touch the file.
   */
  readonly version: number;
  readonly entry: z.ZodType<Entry>;
  empty(): State;
  /** Returns everything that later entries can depend on. */
  snapshot(state: State): unknown;
  /** Throws `storage` with the path if it is not a snapshot. */
  restore(snapshot: unknown, path: string): State;
  /** Returns the reason why the entry has no effect at this position, or undefined if it is valid. */
  refusalOf(state: State, entry: Entry): Refusal | undefined;
  apply(state: State, entry: Entry): Change;
  /** Returns the missed changes for a process that was away while more than one file was filled. */
  difference(before: State, after: State): readonly Change[];
}

/** The first line of every file. */
export const JournalHeader = z.object({
  version: z.number().int().positive(),
  /** The same in all files of one journal. A journal that was removed and created again has another id. */
  journal: z.string(),
  epoch: z.number().int().nonnegative(),
  snapshot: z.unknown(),
});
export type JournalHeader = z.infer<typeof JournalHeader>;

export const JournalLine = z.union([
  z.object({ id: z.string(), entry: z.unknown() }),
  z.object({ sealed: z.string() }),
]);
