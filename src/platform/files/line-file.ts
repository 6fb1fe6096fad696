import { existsSync, fstatSync, writeSync } from "node:fs";
import { type AppendHandle, openAppendHandle } from "./append-handle.ts";
import { encodeLine } from "./line-codec.ts";
import { type LineReading, readLines } from "./read-lines.ts";
import { rewriteTail } from "./rewrite-tail.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { createTornEnd } from "./torn-end.ts";

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
  let handle: AppendHandle | undefined;
  const tornEnd = createTornEnd(path);
  let backgroundFailure: unknown;
  let isClosed = false;
  let isRemoved = false;
  /** A sync has failed from this offset on: these bytes may not be on disk. */
  let unsyncedFrom: number | undefined;

  const append = async (records: readonly unknown[]): Promise<void> => {
    if (isClosed) throw new Error(`${path} is closed`);
    if (records.length === 0) return;
    const bytes = encode(path, records);
    reportBackgroundFailure();
    if (isRemoved) throw removedError(path);
    const target = (handle ??= openAppendHandle(path, abort));
    tornEnd.cutOffRest(target.fd);
    const { nlink, size } = fstatSync(target.fd);
    if (nlink === 0) return leave(target);
    write(target, { bytes, size });
    if (durability === "disk") await target.sync();
    if (durability === "soon") target.syncSoon(failInBackground);
  };

  const sync = async (): Promise<void> => {
    if (durability === "process" || isClosed) return;
    if (handle === undefined && !existsSync(path)) return;
    const target = (handle ??= openAppendHandle(path, abort));
    if (unsyncedFrom !== undefined) writeOver(target, unsyncedFrom);
    if (!target.isSynced || target.syncedSize < target.size) await target.sync();
  };

  /** Writes the same bytes at the same offset: the kernel assumes they are written, and so writes them again. */
  const writeOver = (target: AppendHandle, from: number) => {
    try {
      rewriteTail(path, from);
    } catch (error) {
      throw storageError("write to", path, error);
    }
    target.isSynced = false;
    unsyncedFrom = undefined;
  };

  const failInBackground = (error: unknown) => {
    backgroundFailure = error;
  };

  const reportBackgroundFailure = () => {
    if (backgroundFailure === undefined) return;
    const failure = backgroundFailure;
    backgroundFailure = undefined;
    throw failure;
  };

  /** The file was removed: no process would read further records. */
  const leave = async (target: AppendHandle) => {
    target.failure = removedError(path);
    isRemoved = soleWriter;
    await retire(target);
    throw target.failure;
  };

  const write = (target: AppendHandle, { bytes, size }: { bytes: Buffer; size: number }) => {
    try {
      writeWhole(target.fd, bytes, soleWriter ? "sole" : "shared");
    } catch (error) {
      if (soleWriter) tornEnd.tryToCutOff(target.fd, size);
      throw storageError("write to", path, error);
    }
    target.size = size + bytes.length;
  };

  /**
   * After a failed sync the kernel considers the pages clean: another sync of the same descriptor would falsely
   * succeed.
   */
  const abort = (target: AppendHandle) => {
    // Data of another process may not be on disk either, unless this process has synced it.
    const from = target.isSynced ? target.syncedSize : 0;
    if (soleWriter) unsyncedFrom = Math.min(unsyncedFrom ?? from, from);
    if (soleWriter && durability === "disk") tornEnd.tryToCutOff(target.fd, target.syncedSize);
    void retire(target).catch(failInBackground);
  };

  const retire = async (target: AppendHandle) => {
    if (handle === target) handle = undefined;
    await target.close();
  };

  const closeFile = async () => {
    if (isClosed) return;
    isClosed = true;
    reportBackgroundFailure();
    const last = handle;
    if (last === undefined) return;
    last.cancelSyncSoon();
    if (durability !== "process") await last.sync();
    await retire(last);
  };

  return { path, append, sync, readFrom: (offset) => readLines(path, offset), close: closeFile };
}

function encode(path: string, records: readonly unknown[]): Buffer {
  try {
    return Buffer.from(records.map(encodeLine).join(""));
  } catch (error) {
    throw storageError("write to", path, error);
  }
}

function writeWhole(fd: number, bytes: Buffer, writer: "sole" | "shared"): void {
  let written = writeSync(fd, bytes);
  // A write at the point where it stopped could follow another writer's record. Readers skip the torn piece.
  if (written < bytes.length && writer === "shared") written = writeSync(fd, bytes);
  while (written < bytes.length) {
    const more = writer === "sole" ? writeSync(fd, bytes, written) : 0;
    if (more === 0) throw shortWrite(written, bytes.length);
    written += more;
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
