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
 * The one storage primitive: records appended to a file, each in one `write`, by any number of processes without a lock.
 * Nothing is opened or made before the first append.
 */
export interface LineFile {
  readonly path: string;
  /**
   * All of them in one write, in the order of the calls. Resolves when they survive the death of this process (`disk`: a
   * power cut too); rejects with a `TroupeError` of code `storage` if they may not. After a failed sync in the background
   * the next append rejects, and the one after it starts on a new descriptor.
   */
  append(records: readonly unknown[]): Promise<void>;
  /** Resolves when all that is in it, whoever wrote it, survives a power cut; with `process` nothing is waited for. */
  sync(): Promise<void>;
  readFrom(offset: number): LineReading;
  /** Syncs what is not synced yet, unless durability is `process`. */
  close(): Promise<void>;
}

export interface LineFileOptions {
  /**
   * `process`: survives the death of any process. `soon` (default): and a power cut, after at most a second. `disk`: a
   * power cut at once; appends that wait together share one sync.
   */
  readonly durability?: "process" | "soon" | "disk";
  /** This process alone writes: what a failed append left is cut off again, so that no reader takes it for a record. */
  readonly soleWriter?: boolean;
}

export function openLineFile(path: string, options: LineFileOptions = {}): LineFile {
  const { durability = "soon", soleWriter = false } = options;
  let handle: Handle | undefined;
  let backgroundFailure: unknown;
  let isClosed = false;
  let isRemoved = false;
  /** Where a failed append begins that is still to be cut off. */
  let tornAt: number | undefined;
  /** From here on a sync has failed: what is there may be on no disk. */
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

  /** The same bytes in the same place: the kernel, which takes them for written, writes them once more. */
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

  /** Somebody removed the file: what goes into it now is read by nobody. */
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
    // Going on where it stopped could land behind another writer's record. The torn piece is skipped by readers.
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
      throw storageError("cut off the torn end of", path, error);
    }
  };

  /** For where another error is on its way up already: the next append tries again, and reports it. */
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
      // What another process left is not known to be there either, unless this one has synced it.
      const from = target.isSynced === true ? target.syncedSize : 0;
      if (soleWriter) unsyncedFrom = Math.min(unsyncedFrom ?? from, from);
      abort(target);
      throw target.failure;
    }
  };

  /** The kernel takes pages for clean after a failed sync: the same descriptor, asked again, would tell a lie. */
  const abort = (target: Handle) => {
    if (soleWriter && durability === "disk") tryToCutOff(target.fd, target.syncedSize);
    void retire(target).catch((error: unknown) => {
      backgroundFailure = error;
    });
  };

  /** Its descriptor is closed only when no sync uses it: by then the number may be another file's. */
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
  /** Once at least: what another process left may be on no disk yet. */
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
  const cause = new Error("it was removed while it was in use, and what is written now would be lost");
  return storageError("write to", path, Object.assign(cause, { code: removedCode }));
};

/** None of the system's. */
const removedCode = "EREMOVED";

/** Whether an append was refused because the file is not at its path any more: the next one goes to what is there. */
export const wasRemoved = (error: unknown): boolean => error instanceof Error && hasErrorCode(error.cause, removedCode);
