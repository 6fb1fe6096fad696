/** What an agent knows of the files it has read: an edit of a file that it has not seen, or that has changed, is refused. */
export interface FileTracker {
  /** Remembers that the agent has seen `path` (real and absolute) as it is now. */
  saw(path: string, version: FileVersion): void;
  seen(path: string): FileVersion | undefined;
}

/** Both are compared: some tools keep times, and some file systems have coarse ones. */
export interface FileVersion {
  readonly mtimeMs: number;
  readonly digest: string;
}

export function createFileTracker(): FileTracker {
  const versions = new Map<string, FileVersion>();
  return { saw: (path, version) => void versions.set(path, version), seen: (path) => versions.get(path) };
}
