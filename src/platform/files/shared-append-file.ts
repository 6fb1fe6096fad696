import { closeSync, constants, fdatasync, fstatSync, openSync, type Stats, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { encodeLine } from "./line-codec.ts";
import { type LineReading, readLinesOf } from "./read-lines.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";
import { createFsyncBatcher } from "./fsync-batcher.ts";
import { ifPresentSync } from "./if-present.ts";

/**
 * A line file that many processes append to, with one descriptor for reading and writing. Appended records are read
 * from the same file, even if another file has replaced it at the path.
 */
export interface SharedAppendFile {
  readonly path: string;
  /** Appends one record in one write. It survives the death of any process when this returns; throws with `storage`. */
  append(record: unknown): void;
  /**
   * Makes the records survive a power cut. Concurrent calls share one sync. After a failure the next append uses a new
   * descriptor.
   */
  sync(): Promise<void>;
  readFrom(offset: number): LineReading;
  /** Reports whether the path now leads to this file (with its size), another file, or nothing. One system call. */
  locate(): { readonly at: "here"; readonly size: number } | { readonly at: "replaced" | "removed" };
  /** Waits for pending syncs. */
  close(): Promise<void>;
}

/** Returns undefined if the file does not exist. */
export function openSharedAppendFile(path: string): SharedAppendFile | undefined {
  const first = openExisting(path);
  if (first === undefined) return undefined;
  const identity = fstatSync(first);
  let handle = createHandle(path, first);

  /**
   * After a failed sync the kernel considers the pages clean: another sync of the same descriptor would falsely
   * succeed.
   */
  const renew = () => {
    const fd = openExisting(path);
    if (fd === undefined) return;
    const isSame = sameFile(fstatSync(fd), identity);
    const old = isSame ? handle.fd : fd;
    if (isSame) handle = createHandle(path, fd);
    closeSync(old);
  };

  const append = (record: unknown) => {
    if (handle.hasFailed()) renew();
    const { fd } = handle;
    try {
      const bytes = Buffer.from(encodeLine(record));
      // A write at the point where it stopped could follow another writer's record. Readers skip the torn piece.
      if (writeSync(fd, bytes) === bytes.length || writeSync(fd, bytes) === bytes.length) return;
    } catch (error) {
      throw storageError("write to", path, withReason(error));
    }
    throw storageError(
      "write to",
      path,
      Object.assign(new Error("the record was not completely written"), { code: "ENOSPC" }),
    );
  };

  const readFrom = (offset: number) => {
    try {
      return readLinesOf(handle.fd, offset);
    } catch (error) {
      throw storageError("read", path, error);
    }
  };

  const locate: SharedAppendFile["locate"] = () => {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there === undefined) return { at: "removed" };
    return sameFile(there, identity) ? { at: "here", size: there.size } : { at: "replaced" };
  };

  const waiting = new Set<Promise<void>>();
  const sync = async () => {
    const synced = handle.syncs.sync();
    waiting.add(synced);
    try {
      await synced;
    } finally {
      waiting.delete(synced);
    }
  };

  const close = async () => {
    await Promise.allSettled(waiting);
    closeSync(handle.fd);
  };

  return { path, append, sync, readFrom, locate, close };
}

function createHandle(path: string, fd: number) {
  let failure: unknown;
  let isFolderSynced = false;
  const syncs = createFsyncBatcher(async () => {
    if (failure !== undefined) throw failure;
    try {
      await promisify(fdatasync)(fd);
      // The process that created the file may have been killed before it could sync the folder.
      if (!isFolderSynced) await syncFolder(dirname(path));
      isFolderSynced = true;
    } catch (error) {
      failure = storageError("sync", path, error);
      throw failure;
    }
  });
  return { fd, syncs, hasFailed: () => failure !== undefined };
}

const sameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

function openExisting(path: string): number | undefined {
  const noFollow = constants.O_NOFOLLOW ?? 0;
  const open = () => {
    try {
      return openSync(path, constants.O_RDWR | constants.O_APPEND | noFollow);
    } catch (error) {
      if (!hasErrorCode(error, "EACCES", "EPERM", "EROFS")) throw error;
      // It can still be read. An append fails with the reason.
      return openSync(path, constants.O_RDONLY | noFollow);
    }
  };
  return ifPresentSync(open, { action: "open", path });
}

/** A descriptor that only reads gives EBADF, which tells the user nothing. */
const withReason = (error: unknown): unknown =>
  hasErrorCode(error, "EBADF") ? Object.assign(new Error("it can only be read"), { code: "EACCES" }) : error;
