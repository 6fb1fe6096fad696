import { close, constants, existsSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { TroupeError } from "../../protocol/index.ts";
import { encodeLine } from "./line-codec.ts";
import { type LineReading, readLines } from "./read-lines.ts";
import { rewriteTail } from "./rewrite-tail.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";
import { createFsyncBatcher, type FsyncBatcher } from "./fsync-batcher.ts";

/**
 * The basic storage primitive: records appended to a file, each in one `write`, by any number of processes without a
 * lock. Opens or creates nothing before the first append.
 */
export interface LineFile {
  readonly path: string;
  /**
   * Appends all records in one write, in the order of the calls. Resolves when they survive the death of this process
   * (with `disk`: also a power cut). Rejects with a `TroupeError` of code `storage` if they may not. After a failed
   * sync in the background the next append rejects, and the one after it uses a new descriptor.
   */
  append(records: readonly unknown[]): Promise<void>;
  /**
   * Resolves when the whole content, also that of other writers, survives a power cut. With `process` it resolves at
   * once.
   */
  sync(): Promise<void>;
  readFrom(offset: number): LineReading;
  /** Syncs unsynced records, unless durability is `process`. */
  close(): Promise<void>;
}

export interface LineFileOptions {
  /**
   * `process`: survives the death of any process. `soon` (default): also survives a power cut after at most a second.
   * `disk`: survives a power cut at once; concurrent appends share one sync.
   */
  readonly durability?: "process" | "soon" | "disk";
  /**
   * True if this process is the only writer. The remains of a failed append are then truncated, so that no reader takes
   * them for a record.
   */
  readonly soleWriter?: boolean;
}

export function openLineFile(path: string, options: LineFileOptions = {}): LineFile {
  const { durability = "soon", soleWriter = false } = options;
  let handle: Handle | undefined;
  let backgroundFailure: unknown;
  let isClosed = false;
  let isRemoved = false;
  /** Offset of a failed append that must still be truncated. */
  let tornAt: number | undefined;
  /** A sync has failed from this offset on: these bytes may not be on disk. */
  let unsyncedFrom: number | undefined;

  const append = async (records: readonly unknown[]): Promise<void> => {
    if (isClosed) throw new Error(`${path} is closed`);
    if (records.length === 0) return;
    const bytes = encode(path, records);
    reportBackgroundFailure();
    if (isRemoved) throw removedError(path);
    handle ??= openHandle();
    const target = handle;
    if (tornAt !== undefined) cutOff(target.fd, tornAt);
    const { nlink, size } = fstatSync(target.fd);
    if (nlink === 0) return leave(target);
    write(target, { bytes, size });
    if (durability === "disk") await target.syncs.sync();
    if (durability === "soon") syncSoon(target);
  };

  const sync = async (): Promise<void> => {
    if (durability === "process" || isClosed) return;
    if (handle === undefined && !existsSync(path)) return;
    const target = (handle ??= openHandle());
    if (unsyncedFrom !== undefined) writeOver(target, unsyncedFrom);
    if (!target.isSynced || target.syncedSize < target.size) await target.syncs.sync();
  };

  /** Writes the same bytes at the same offset: the kernel assumes they are written, and so writes them again. */
  const writeOver = (target: Handle, from: number) => {
    try {
      rewriteTail(path, from);
    } catch (error) {
      throw storageError("write to", path, error);
    }
    target.isSynced = false;
    unsyncedFrom = undefined;
  };

  const reportBackgroundFailure = () => {
    if (backgroundFailure === undefined) return;
    const failure = backgroundFailure;
    backgroundFailure = undefined;
    throw failure;
  };

  /** The file was removed: no process would read further records. */
  const leave = async (target: Handle) => {
    target.failure = removedError(path);
    isRemoved = soleWriter;
    await retire(target);
    throw target.failure;
  };

  const write = (target: Handle, { bytes, size }: { bytes: Buffer; size: number }) => {
    try {
      writeWhole(target.fd, bytes);
    } catch (error) {
      if (soleWriter) tryToCutOff(target.fd, size);
      throw storageError("write to", path, error);
    }
    target.size = size + bytes.length;
  };

  const writeWhole = (fd: number, bytes: Buffer) => {
    let written = writeSync(fd, bytes);
    // A write at the point where it stopped could follow another writer's record. Readers skip the torn piece.
    if (written < bytes.length && !soleWriter) written = writeSync(fd, bytes);
    while (written < bytes.length) {
      const more = soleWriter ? writeSync(fd, bytes, written) : 0;
      if (more === 0) throw shortWrite(written, bytes.length);
      written += more;
    }
  };

  const cutOff = (fd: number, size: number) => {
    try {
      ftruncateSync(fd, size);
      tornAt = undefined;
    } catch (error) {
      tornAt = size;
      throw storageError("truncate the torn end of", path, error);
    }
  };

  /** Used while another error is being reported. The next append tries again and reports the error. */
  const tryToCutOff = (fd: number, size: number) => {
    tornAt = size;
    try {
      cutOff(fd, size);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
    }
  };

  const syncSoon = (target: Handle) => {
    target.timer ??= setTimeout(() => {
      target.timer = undefined;
      target.syncs.sync().catch((error: unknown) => {
        backgroundFailure = error;
      });
    }, syncSoonMs).unref();
  };

  const openHandle = (): Handle => {
    const { fd, isNew } = openForAppend(path);
    const { size } = fstatSync(fd);
    const target: Handle = { fd, size, syncedSize: size, isNew, syncs: createFsyncBatcher(() => syncOnce(target)) };
    return target;
  };

  const syncOnce = async (target: Handle) => {
    if (target.failure !== undefined) throw target.failure;
    const { size } = target;
    try {
      await promisify(fdatasync)(target.fd);
      if (target.isNew) await syncFolder(dirname(path));
      target.isNew = false;
      target.isSynced = true;
      target.syncedSize = size;
    } catch (error) {
      target.failure = storageError("sync", path, error);
      // Data of another process may not be on disk either, unless this process has synced it.
      const from = target.isSynced === true ? target.syncedSize : 0;
      if (soleWriter) unsyncedFrom = Math.min(unsyncedFrom ?? from, from);
      abort(target);
      throw target.failure;
    }
  };

  /**
   * After a failed sync the kernel considers the pages clean: another sync of the same descriptor would falsely
   * succeed.
   */
  const abort = (target: Handle) => {
    if (soleWriter && durability === "disk") tryToCutOff(target.fd, target.syncedSize);
    void retire(target).catch((error: unknown) => {
      backgroundFailure = error;
    });
  };

  /** Closes the descriptor only when no sync uses it: otherwise the number may already belong to another file. */
  const retire = async (target: Handle) => {
    if (handle === target) handle = undefined;
    clearTimeout(target.timer);
    await target.syncs.idle();
    await promisify(close)(target.fd).catch((error: unknown) => {
      throw storageError("close", path, error);
    });
  };

  const closeFile = async () => {
    if (isClosed) return;
    isClosed = true;
    reportBackgroundFailure();
    const last = handle;
    if (last === undefined) return;
    clearTimeout(last.timer);
    if (durability !== "process") await last.syncs.sync();
    await retire(last);
  };

  return { path, append, sync, readFrom: (offset) => readLines(path, offset), close: closeFile };
}

interface Handle {
  readonly fd: number;
  readonly syncs: FsyncBatcher;
  size: number;
  syncedSize: number;
  /** True after the first sync. Before it, data of another process may not be on disk. */
  isSynced?: boolean;
  isNew: boolean;
  timer?: NodeJS.Timeout | undefined;
  failure?: unknown;
}

const syncSoonMs = 500;

function encode(path: string, records: readonly unknown[]): Buffer {
  try {
    return Buffer.from(records.map(encodeLine).join(""));
  } catch (error) {
    throw storageError("write to", path, error);
  }
}

function openForAppend(path: string): { fd: number; isNew: boolean } {
  const flags = constants.O_APPEND | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
  try {
    return { fd: openSync(path, flags), isNew: false };
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw storageError("open", path, error);
  }
  try {
    return { fd: openSync(path, flags | constants.O_CREAT, 0o600), isNew: true };
  } catch (error) {
    throw storageError("make", path, error);
  }
}

const shortWrite = (written: number, length: number) =>
  Object.assign(new Error(`only ${written} of ${length} bytes were written`), { code: "ENOSPC" });

const removedError = (path: string) => {
  const cause = new Error("it was removed while in use, so new records would be lost");
  return storageError("write to", path, Object.assign(cause, { code: removedCode }));
};

/** Not a code of the system. */
const removedCode = "EREMOVED";

/** True if an append failed because the file is no longer at its path. The next append uses the new file. */
export const wasRemoved = (error: unknown): boolean => error instanceof Error && hasErrorCode(error.cause, removedCode);
