import { closeSync, constants, fdatasync, fstatSync, openSync, type Stats, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { encodeLine } from "./line-codec.ts";
import { type LineReading, readLinesOf } from "./read-lines.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";
import { createFsyncBatcher } from "./fsync-batcher.ts";

/**
 * A line file that many processes append to, held open by one descriptor for both directions: what was appended is found
 * again in the very file it went into, also after another file has taken over the path.
 */
export interface SharedAppendFile {
  readonly path: string;
  /** One record, in one write. It survives the death of any process when this returns; throws with `storage`. */
  append(record: unknown): void;
  /** A power cut too. Those who wait together share one sync. After a failure the next append is on a new descriptor. */
  sync(): Promise<void>;
  readFrom(offset: number): LineReading;
  /** What the path leads to by now: this file with its size, another one, or nothing. One call to the system. */
  locate(): { readonly at: "here"; readonly size: number } | { readonly at: "replaced" | "removed" };
  /** Waits for the syncs that were asked for. */
  close(): Promise<void>;
}

/** Undefined if there is no such file. */
export function openSharedAppendFile(path: string): SharedAppendFile | undefined {
  const first = openExisting(path);
  if (first === undefined) return undefined;
  const identity = fstatSync(first);
  let handle = createHandle(path, first);

  /** The kernel takes pages for clean after a failed sync: the same descriptor, asked again, would tell a lie. */
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
      // Going on where a write stopped could land behind another writer's record. The torn piece is skipped by readers.
      if (writeSync(fd, bytes) === bytes.length || writeSync(fd, bytes) === bytes.length) return;
    } catch (error) {
      throw storageError("write to", path, error);
    }
    throw storageError("write to", path, Object.assign(new Error("a record was cut off"), { code: "ENOSPC" }));
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
      // Whoever put the file at its path may have been killed before it could do this.
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
  try {
    return openSync(path, constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw storageError("open", path, error);
  }
}
