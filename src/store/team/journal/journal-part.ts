import { openSharedAppendFile, type SharedAppendFile, storageError } from "../../../platform/index.ts";

/** One file of the journal, as far as it is folded. */
export interface JournalPart {
  readonly file: SharedAppendFile;
  offset: number;
  journal: string;
  epoch: number;
  /** The offset of its first line; -1 before that is read. */
  headerAt: number;
  headerEnd: number;
  sealed: boolean;
  isDamaged: boolean;
  /** The offset of bytes after the last whole line: a record that is being written, or one that was cut off. */
  tailAt: number | undefined;
}

/** Returns undefined if there is no file. */
export function openJournalPart(path: string): JournalPart | undefined {
  const file = openSharedAppendFile(path);
  if (file === undefined) return undefined;
  const start = { offset: 0, journal: "", epoch: 0, headerAt: -1, headerEnd: 0 };
  return { ...start, file, sealed: false, isDamaged: false, tailAt: undefined };
}

export const damagedHeaderError = (path: string) =>
  storageError(
    "use",
    path,
    new Error("its first line is damaged, and the rest has no meaning without it; move it away"),
  );

export const newerFormatError = (path: string, version: number) =>
  storageError("use", path, new Error(`it has format ${version} of a newer Troupe; update this one`));

export const removedError = (path: string) =>
  storageError("use", path, new Error("it no longer exists, or another file is in its place"));

export const stuckCompactionError = (path: string) =>
  storageError(
    "write to",
    path,
    new Error(`the process that compacts it makes no progress (${path}.compacting-* names it)`),
  );
