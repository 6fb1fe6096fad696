import { openSharedAppendFile, type SharedAppendFile, storageError } from "../../../platform/index.ts";

/** One file of the journal, as far as it is folded. */
export interface JournalPart {
  readonly file: SharedAppendFile;
  offset: number;
  journal: string;
  epoch: number;
  /** Where its first line is; -1 before that is read. */
  headerAt: number;
  headerEnd: number;
  sealed: boolean;
  isDamaged: boolean;
}

/** Undefined if there is no file. */
export function openJournalPart(path: string): JournalPart | undefined {
  const file = openSharedAppendFile(path);
  if (file === undefined) return undefined;
  return { file, offset: 0, journal: "", epoch: 0, headerAt: -1, headerEnd: 0, sealed: false, isDamaged: false };
}

export const damagedHeaderError = (path: string) =>
  storageError(
    "use",
    path,
    new Error("its first line is damaged, and the rest means nothing without it; move it away"),
  );

export const newerFormatError = (path: string, version: number) =>
  storageError("use", path, new Error(`it is of format ${version}, from a newer Troupe; update this one`));

export const removedError = (path: string) =>
  storageError("use", path, new Error("it is not there any more, or another one is in its place"));

export const stuckCompactionError = (path: string) =>
  storageError(
    "write to",
    path,
    new Error(`it is being compacted by a process that does not go on (${path}.compacting-* names it)`),
  );
