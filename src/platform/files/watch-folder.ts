import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/**
 * Notifies followers that a file may have changed. System notifications are only a hint: they get lost, and stop when
 * the folder is replaced. So all followers are also notified once a second. Each folder has one system watch for all
 * its followers. Keeps no process alive unless held.
 */
export interface FolderWatcher {
  /**
   * `onHint` is called at most once for changes that happen together. The file need not exist. Returns a function that
   * stops following.
   */
  follow(path: string, onHint: () => void): () => void;
  /** Like `follow`, for any file in the folder. The folder need not exist. */
  followFolder(path: string, onHint: () => void): () => void;
  /** Keeps the process alive until the returned function is called. For a process that only waits for a file. */
  hold(): () => void;
  /** Stops all notifications. */
  close(): void;
}

export function createFolderWatcher({ rescanMs = 1000 }: { readonly rescanMs?: number } = {}): FolderWatcher {
  const folders = new Map<string, Folder>();
  const due = new Set<Follower>();
  let timer: NodeJS.Timeout | undefined;
  let holders = 0;
  let isClosed = false;

  const follow = (path: string, onHint: () => void) => add(dirname(path), { name: basename(path), onHint });

  const followFolder = (path: string, onHint: () => void) => add(path, { name: undefined, onHint });

  const add = (path: string, follower: Follower) => {
    if (isClosed) return () => undefined;
    const folder = folderOf(path);
    folder.followers.add(follower);
    startTimer();
    return () => {
      due.delete(follower);
      if (folder.followers.delete(follower) && folder.followers.size === 0) leave(folder);
    };
  };

  const folderOf = (path: string): Folder => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const folder: Folder = { path, followers: new Set() };
    folders.set(path, folder);
    checkWatch(folder);
    return folder;
  };

  /** Watches the folder that is now at the path, if it exists and the system has a watch left. */
  const checkWatch = (folder: Folder) => {
    const identity = identityOf(folder.path);
    if (folder.watcher !== undefined && folder.identity === identity) return;
    unwatch(folder);
    if (identity === undefined) return;
    try {
      const watcher = watch(folder.path, { persistent: false }, (_event, name) => hint(folder, name));
      watcher.on("error", () => unwatch(folder));
      folder.watcher = watcher;
      folder.identity = identity;
    } catch {
      // No watch left (EMFILE, ENOSPC), or the folder is gone again: the rescan works without a watch and tries again.
      unwatch(folder);
    }
  };

  const hint = (folder: Folder, name: string | null) => {
    for (const follower of folder.followers) {
      if (name === null || follower.name === undefined || name === follower.name) scheduleNotify(follower);
    }
  };

  /** The system reports a burst change by change; all pending changes become one hint. */
  const scheduleNotify = (follower: Follower) => {
    if (due.size === 0) setImmediate(notifyFollowers);
    due.add(follower);
  };

  const notifyFollowers = () => {
    const now = [...due];
    due.clear();
    for (const follower of now) follower.onHint();
  };

  const rescan = () => {
    for (const folder of folders.values()) {
      checkWatch(folder);
      hint(folder, null);
    }
  };

  const startTimer = () => {
    timer ??= setInterval(rescan, rescanMs);
    if (holders === 0) timer.unref();
  };

  const hold = () => {
    let isHeld = true;
    holders += 1;
    timer?.ref();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holders -= 1;
      if (holders === 0) timer?.unref();
    };
  };

  const leave = (folder: Folder) => {
    unwatch(folder);
    folders.delete(folder.path);
    if (folders.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const close = () => {
    isClosed = true;
    due.clear();
    for (const folder of folders.values()) leave(folder);
  };

  return { follow, followFolder, hold, close };
}

interface Folder {
  readonly path: string;
  readonly followers: Set<Follower>;
  watcher?: FSWatcher | undefined;
  /** Identity of the watched folder: another folder at the same path is not watched. */
  identity?: string | undefined;
}

interface Follower {
  /** Undefined: any file. */
  readonly name: string | undefined;
  readonly onHint: () => void;
}

function unwatch(folder: Folder): void {
  folder.watcher?.close();
  folder.watcher = undefined;
  folder.identity = undefined;
}

function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
  } catch {
    // The folder cannot be inspected now; readers of the file get the error.
    return undefined;
  }
}
