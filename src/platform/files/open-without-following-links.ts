import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "./storage-error.ts";

/** A path did not lead where it was judged to lead: a part of it has been replaced, by a link or by another file. */
export class PathMovedError extends Error {
  override readonly name = "PathMovedError";
  readonly code = "EMOVED";

  constructor(path: string) {
    super(
      `${path} was not opened: a part of this path was replaced by a link or moved while it was being opened. Look at where it leads now, and call again.`,
    );
  }
}

/** Linux: a descriptor that only stands for a place; neither reading nor writing is asked for. */
const pathOnlyFlag = process.platform === "linux" ? 0o10000000 : constants.O_RDONLY;
const hasProc = process.platform === "linux";
/** A file that is renamed into place just then looks moved once; one that is swapped all the time is refused. */
const attempts = 8;

/**
 * Opens the file at `path` (real and absolute) and makes sure, on the descriptor itself, that it is that file: whatever
 * is swapped for a link meanwhile, nothing but `path` is ever read or written through what this gives.
 */
export async function openWithoutFollowingLinks(path: string, flags: number): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    const handle = await openUnlinked(path, flags);
    if (await isAt(handle, path)) return handle;
    await handle.close();
    if (attempt === attempts) throw new PathMovedError(path);
  }
}

/** A folder held open: `entry` names things in it that stay in it, whatever becomes of the path to it. */
export interface OpenFolder {
  /** The same folder by a path that cannot be swapped, for a child process too; without /proc it is the path itself. */
  readonly path: string;
  entry(name: string): string;
  /** Throws where the folder is no longer the one that was opened; needed only where there is no /proc. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** `make` makes what is missing of it, each part inside the one before. */
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
    // A real path has no link at its end: this one has become a link since it was judged.
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

/** Linux tells of a descriptor where it is. Elsewhere the real path is compared, before and after the file itself is. */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  if (hasProc) return (await readlink(`/proc/self/fd/${handle.fd}`)) === path;
  const [ours, theirs] = [await handle.stat(), await lstat(path)];
  return ours.ino === theirs.ino && ours.dev === theirs.dev && (await realpath(path)) === path;
}

function ignoreExisting(error: unknown): void {
  if (!hasErrorCode(error, "EEXIST")) throw error;
}
