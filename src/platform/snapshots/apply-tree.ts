import { chmod, lstat, realpath, rm, rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { TroupeError } from "../../protocol/index.ts";
import { hasErrorCode } from "../files/storage-error.ts";
import { isInside } from "../files/real-path.ts";
import { toBytes, toText } from "./byte-path.ts";
import type { SnapshotGit, TreeChange } from "./snapshot-git.ts";

interface ApplyOptions {
  readonly git: SnapshotGit;
  readonly folder: string;
  /** A path for a temporary index: the own index stays as it is, and the next snapshot brings it up to date. */
  readonly indexFile: string;
  readonly tree: string;
  readonly changes: readonly TreeChange[];
}

/** Writes and deletes the changed files. Never follows a link out of the folder. */
export async function applyTree({ git, folder, indexFile, tree, changes }: ApplyOptions): Promise<void> {
  const deleted = changes.filter(({ status }) => status === "D").map(({ path }) => path);
  const written = changes.filter(({ status }) => status !== "D").map(({ path }) => path);
  for (const path of deleted) await deleteFile(folder, path);
  if (written.length === 0) return;
  const modes = await modesOf(folder, written);
  const stdin = Buffer.from(written.map((path) => `${path}\0`).join(""), "latin1");
  try {
    await git.must(["read-tree", tree], { indexFile });
    await git.must(["checkout-index", "--force", "--quiet", "-z", "--stdin"], { indexFile, stdin });
  } finally {
    await rm(indexFile, { force: true });
  }
  for (const [path, mode] of modes) await keepMode(folder, path, mode);
}

async function deleteFile(folder: string, path: string): Promise<void> {
  const file = toBytes(folder, path);
  const parent = await realpath(toBytes(folder, dirname(path)), "buffer").catch(() => undefined);
  if (parent === undefined) return;
  if (!isInside(parent.toString("latin1"), Buffer.from(folder).toString("latin1"))) return;
  try {
    await unlink(file);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return;
    throw new TroupeError("checkpoint", `cannot delete ${toText(path)} in ${folder}: ${(error as Error).message}`);
  }
  await deleteEmptyFolders(folder, dirname(path));
}

async function deleteEmptyFolders(folder: string, path: string): Promise<void> {
  if (path === "." || path === "") return;
  try {
    await rmdir(toBytes(folder, path));
  } catch (error) {
    if (hasErrorCode(error, "ENOTEMPTY", "EEXIST", "ENOENT", "EBUSY", "EACCES", "EPERM", "ENOTDIR")) return;
    throw error;
  }
  await deleteEmptyFolders(folder, dirname(path));
}

/** Git knows only whether a file is executable. The other rights of a file that exists stay as they are. */
async function modesOf(folder: string, paths: readonly string[]): Promise<Map<string, number>> {
  const modes = new Map<string, number>();
  for (const path of paths) {
    const stats = await lstat(toBytes(folder, path)).catch(() => undefined);
    if (stats?.isFile()) modes.set(path, stats.mode & 0o666);
  }
  return modes;
}

async function keepMode(folder: string, path: string, readWrite: number): Promise<void> {
  const file = toBytes(folder, path);
  const stats = await lstat(file).catch(() => undefined);
  if (!stats?.isFile()) return;
  const mode = (readWrite & 0o600) === 0o600 ? readWrite : readWrite | 0o600;
  const isExecutable = (stats.mode & 0o100) !== 0;
  await chmod(file, isExecutable ? mode | ((mode & 0o444) >> 2) : mode);
}
