import { storageError } from "../../platform/index.ts";

/** The access of one process to data in memory. Everything that the process reads or writes goes through it. */
export interface MemoryIo {
  /** The process, as error messages name it. */
  readonly processName: string;
  readonly isDead: boolean;
  /**
   * Runs the action in the order of the calls, not before the caller waits. Never settles once the process is dead:
   * the code of a killed process stops where it is.
   */
  turn<T>(action: (append: Append) => T): Promise<T>;
  /** Yields the items of `source` until the process is dead, and then nothing more. */
  whileAlive<T>(source: AsyncIterable<T>): AsyncIterable<T>;
  /** Called when the process dies. Returns a function that forgets the listener. */
  onDeath(listener: () => void): () => void;
}

/**
 * Stores records one by one with `add`. Throws `storage` with ENOSPC, before the first record, while the disk is full.
 * A process that dies in between leaves only the first records.
 */
export type Append = <Stored>(path: string, records: readonly Stored[], add: (record: Stored) => void) => void;

/** For data that only the current process has: it does not outlive the process, and no disk is involved. */
export const ownMemoryIo: MemoryIo = {
  processName: "this process",
  isDead: false,
  turn: async (action) => action((_path, records, add) => records.forEach(add)),
  whileAlive: (source) => source,
  onDeath: () => () => undefined,
};

/** The error of the file stores on a full disk. */
export const diskFullError = (path: string) =>
  storageError(
    "write to",
    path,
    Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      errno: -28,
      syscall: "write",
    }),
  );
