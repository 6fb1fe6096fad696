/**
 * The files that an agent has read. An edit is refused if the agent has not read the file or the file has changed
 * since.
 */
export interface FileTracker {
  /** Records that the agent has read this version of `path` (real and absolute). */
  saw(path: string, version: FileVersion): void;
  seen(path: string): FileVersion | undefined;
}

/** Both are compared: some tools preserve times, and some file systems have coarse ones. */
export interface FileVersion {
  readonly mtimeMs: number;
  readonly digest: string;
}

export function createFileTracker(): FileTracker {
  const versions = new Map<string, FileVersion>();
  return { saw: (path, version) => void versions.set(path, version), seen: (path) => versions.get(path) };
}
