import * as z from "zod";

/** What a journal's entries mean. Pure: the same entries in the same order come to the same, in every process. */
export interface JournalFold<State, Entry, Change, Refusal> {
  /** Of the form of entries and snapshots: who knows only an older one must not touch the file. */
  readonly version: number;
  readonly entry: z.ZodType<Entry>;
  empty(): State;
  /** Everything that later entries can depend on. */
  snapshot(state: State): unknown;
  /** Throws `storage` with the path if it is no snapshot. */
  restore(snapshot: unknown, path: string): State;
  /** Why the entry counts for nothing at this place; undefined if it counts. */
  refusalOf(state: State, entry: Entry): Refusal | undefined;
  apply(state: State, entry: Entry): Change;
  /** For who was away while more than one file was filled: what it has missed, as changes. */
  difference(before: State, after: State): readonly Change[];
}

/** The first line of every file. */
export const JournalHeader = z.object({
  version: z.number().int().positive(),
  /** The same in all files of one journal: one that was removed and made anew is another. */
  journal: z.string(),
  epoch: z.number().int().nonnegative(),
  snapshot: z.unknown(),
});
export type JournalHeader = z.infer<typeof JournalHeader>;

export const JournalLine = z.union([
  z.object({ id: z.string(), entry: z.unknown() }),
  z.object({ sealed: z.string() }),
]);
