import { close, constants, fdatasync, fstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { createFsyncBatcher } from "./fsync-batcher.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";

/** A descriptor for appending, and its syncs. */
export interface AppendHandle {
  readonly fd: number;
  size: number;
  readonly syncedSize: number;
  /** True after the first sync. Before it, data of another process may not be on disk. */
  isSynced: boolean;
  /** The descriptor must not be used any more. */
  failure?: unknown;
  sync(): Promise<void>;
  /** Plans one sync for all appends of a short time. */
  syncSoon(onFailure: (error: unknown) => void): void;
  cancelSyncSoon(): void;
  /** Closes the descriptor only when no sync uses it: otherwise the number may already belong to another file. */
  close(): Promise<void>;
}

const syncSoonMs = 500;

/** Opens or creates the file. Calls `onSyncFailure` before a sync rejects. */
export function openAppendHandle(path: string, onSyncFailure: (handle: AppendHandle) => void): AppendHandle {
  const opened = openForAppend(path);
  const { fd } = opened;
  const { size } = fstatSync(fd);
  let { isNew } = opened;
  let timer: NodeJS.Timeout | undefined;
  let syncedSize = size;

  const syncs = createFsyncBatcher(async () => {
    if (handle.failure !== undefined) throw handle.failure;
    const { size } = handle;
    try {
      await promisify(fdatasync)(fd);
      if (isNew) await syncFolder(dirname(path));
      isNew = false;
      handle.isSynced = true;
      syncedSize = size;
    } catch (error) {
      handle.failure = storageError("sync", path, error);
      onSyncFailure(handle);
      throw handle.failure;
    }
  });

  const cancelSyncSoon = () => clearTimeout(timer);
  const handle: AppendHandle = {
    fd,
    size,
    get syncedSize() {
      return syncedSize;
    },
    isSynced: false,
    sync: syncs.sync,
    syncSoon(onFailure) {
      timer ??= setTimeout(() => {
        timer = undefined;
        syncs.sync().catch(onFailure);
      }, syncSoonMs).unref();
    },
    cancelSyncSoon,
    async close() {
      cancelSyncSoon();
      await syncs.idle();
      await promisify(close)(fd).catch((error: unknown) => {
        throw storageError("close", path, error);
      });
    },
  };
  return handle;
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
