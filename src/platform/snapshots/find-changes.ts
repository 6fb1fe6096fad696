import { access, constants, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { TroupeError } from "../../protocol/index.ts";
import { splitNul, toBytes } from "./byte-path.ts";
import type { SnapshotGit } from "./snapshot-git.ts";
import type { SnapshotLimits } from "./snapshots.ts";

/** The paths that differ from the index. */
export interface FileChanges {
  /** Files to keep as they are now. */
  readonly kept: readonly string[];
  /** Files of the index that are gone, or that are too large now. */
  readonly removed: readonly string[];
}

interface FindOptions {
  readonly git: SnapshotGit;
  readonly folder: string;
  readonly limits: SnapshotLimits;
  /** Files to keep whatever their size. */
  readonly forced: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks git which files differ from the index, in two processes at once: changed and new files, and ignored files.
 * Ignored folders are not searched.
 */
export async function findChanges({ git, folder, limits, forced, signal }: FindOptions): Promise<FileChanges> {
  const more = signal ? { signal } : {};
  const list = async (...args: string[]) =>
    splitNul((await git.must(["ls-files", "-z", ...args, ...git.excludes], more)).bytes);
  const [changed, ignored] = await Promise.all([
    list("--modified", "--others"),
    limits.maxIgnoredBytes > 0 ? list("--others", "--ignored", "--directory") : [],
  ]);
  const isFile = (path: string) => !path.endsWith("/");
  const found = [...new Set(changed.filter(isFile))];
  if (found.length + ignored.length > limits.maxFiles)
    throw new TroupeError(
      "checkpoint",
      `cannot keep the files of ${folder}: more than ${limits.maxFiles} have changed. Raise checkpoints.maxFiles or add them to .gitignore.`,
    );
  const sorted = await sortPaths(folder, [
    ...found.filter((path) => !forced.includes(path)).map((path) => ({ path, maxBytes: limits.maxFileBytes })),
    ...ignored
      .filter((path) => isFile(path) && !forced.includes(path))
      .map((path) => ({ path, maxBytes: Math.min(limits.maxIgnoredBytes, limits.maxFileBytes) })),
    ...forced.map((path) => ({ path, maxBytes: Infinity })),
  ]);
  return {
    kept: sorted.flatMap(({ path, isKept }) => (isKept ? [path] : [])),
    removed: sorted.flatMap(({ path, isKept }) => (isKept ? [] : [path])),
  };
}

interface FoundPath {
  readonly path: string;
  readonly maxBytes: number;
}

async function sortPaths(folder: string, paths: readonly FoundPath[]) {
  const parents = new Map<string, Promise<boolean>>();
  /** True if the path and all its parents are folders, and no links. */
  const isFolder = (path: string): Promise<boolean> => {
    if (path === ".") return Promise.resolve(true);
    const known = parents.get(path);
    if (known) return known;
    const found = isFolder(dirname(path)).then(
      async (isReal) => isReal && ((await statsOf(folder, path))?.isDirectory() ?? false),
    );
    parents.set(path, found);
    return found;
  };
  return Promise.all(
    paths.map(async ({ path, maxBytes }) => ({
      path,
      isKept: (await isFolder(dirname(path))) && (await isReadable(folder, path, maxBytes)),
    })),
  );
}

async function isReadable(folder: string, path: string, maxBytes: number): Promise<boolean> {
  const stats = await statsOf(folder, path);
  if (stats?.isSymbolicLink()) return true;
  if (!stats?.isFile() || stats.size > maxBytes) return false;
  return access(toBytes(folder, path), constants.R_OK).then(
    () => true,
    () => false,
  );
}

const statsOf = (folder: string, path: string) => lstat(toBytes(folder, path)).catch(() => undefined);
