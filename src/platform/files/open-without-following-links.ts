import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "./storage-error.ts";

/** The path no longer leads to the authorized place: a part of it was replaced by a link or another file. */
export class PathMovedError extends Error {
  override readonly name = "PathMovedError";
  readonly code = "EMOVED";

  constructor(path: string) {
    super(
      `cannot open ${path}: a part of this path was replaced by a link or moved while it was being opened. Check where the path leads now, and call again.`,
    );
  }
}

/** Linux (O_PATH): a descriptor of the location only, neither for reading nor for writing. */
const pathOnlyFlag = process.platform === "linux" ? 0o10000000 : constants.O_RDONLY;
const hasProc = process.platform === "linux";
/** A file that is being renamed into place looks moved once. A path that is swapped all the time is refused. */
const attempts = 8;

/**
 * Opens the file at `path` (real and absolute) and checks on the descriptor that it is that file. Even if a part is
 * swapped for a link, the result never reads or writes another file.
 */
export async function openWithoutFollowingLinks(path: string, flags: number): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    const handle = await openUnlinked(path, flags);
    if (await isAt(handle, path)) return handle;
    await handle.close();
    if (attempt === attempts) throw new PathMovedError(path);
  }
}

/** An open folder. Paths from `entry` stay inside it, even if the path to the folder changes. */
export interface OpenFolder {
  /**
   * A path to the same folder that cannot be swapped, also valid in a child process. Without /proc it is the path
   * itself.
   */
  readonly path: string;
  entry(name: string): string;
  /** Throws if the folder is no longer the one that was opened. Needed only without /proc. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** `make` creates missing parts, each inside the one before. */
export async function openFolderWithoutFollowingLinks(path: string, { make = false } = {}): Promise<OpenFolder> {
  try {
    return toFolder(await openWithoutFollowingLinks(path, pathOnlyFlag | constants.O_DIRECTORY), path);
  } catch (error) {
    if (!make || !hasErrorCode(error, "ENOENT") || dirname(path) === path) throw error;
  }
  const parent = await openFolderWithoutFollowingLinks(dirname(path), { make });
  try {
    await mkdir(parent.entry(basename(path))).catch(ignoreExisting);
  } finally {
    await parent.close();
  }
  return toFolder(await openWithoutFollowingLinks(path, pathOnlyFlag | constants.O_DIRECTORY), path);
}

function toFolder(handle: FileHandle, path: string): OpenFolder {
  const held = hasProc ? `/proc/${process.pid}/fd/${handle.fd}` : path;
  return {
    path: held,
    entry: (name) => join(held, name),
    async confirm() {
      if (!hasProc && !(await isAt(handle, path))) throw new PathMovedError(path);
    },
    close: () => handle.close(),
  };
}

async function openUnlinked(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags | constants.O_NOFOLLOW);
  } catch (error) {
    // A real path does not end with a link, so this path has become a link since it was authorized.
    if (hasErrorCode(error, "ELOOP") && !(await isLinkLoop(path))) throw new PathMovedError(path);
    if (hasErrorCode(error, "ENOTDIR") && (await isLink(path))) throw new PathMovedError(path);
    throw error;
  }
}

async function isLinkLoop(path: string): Promise<boolean> {
  try {
    await realpath(path);
    return false;
  } catch (error) {
    return hasErrorCode(error, "ELOOP");
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return false;
    throw error;
  }
}

/**
 * Linux reports the path of a descriptor. On other systems the real path is compared, before and after the file itself.
 */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  if (hasProc) return (await readlink(`/proc/self/fd/${handle.fd}`)) === path;
  const [ours, theirs] = [await handle.stat(), await lstat(path)];
  return ours.ino === theirs.ino && ours.dev === theirs.dev && (await realpath(path)) === path;
}

function ignoreExisting(error: unknown): void {
  if (!hasErrorCode(error, "EEXIST")) throw error;
}
