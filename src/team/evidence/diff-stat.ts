import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import type { RepositoryContext } from "../worktree/repository.ts";
import { type DiffedWorktree, worktreeChanges } from "../worktree/worktree-changes.ts";

export interface DiffStat {
  readonly files: readonly FileDiff[];
  readonly added: number;
  readonly removed: number;
}

export interface FileDiff {
  readonly path: string;
  /** Lines, or null if they cannot be counted: a binary file, or a very large new file. */
  readonly added: number | null;
  readonly removed: number | null;
}

/** Counts the changed lines of a worktree against its base: committed, staged, changed and new files. */
export async function diffStat(place: RepositoryContext, worktree: DiffedWorktree): Promise<DiffStat> {
  const { tracked, untracked } = await worktreeChanges(place, worktree, ["--numstat", "-z", "--no-renames"]);
  const files = [
    ...tracked.split("\0").filter(Boolean).map(parseNumstat),
    ...(await Promise.all(untracked.map((path) => newFile(worktree.path, path)))),
  ];
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { files, added: sum("added"), removed: sum("removed") };
}

/** `added TAB removed TAB path`, with dashes for a binary file. */
function parseNumstat(line: string): FileDiff {
  const [added = "", removed = "", ...path] = line.split("\t");
  const count = (text: string) => (text === "-" ? null : Number(text));
  return { path: path.join("\t"), added: count(added), removed: count(removed) };
}

const countedBytes = 1024 * 1024;

async function newFile(folder: string, path: string): Promise<FileDiff> {
  const file = join(folder, path);
  try {
    const stat = await lstat(file);
    if (!stat.isFile() || stat.size > countedBytes) return { path, added: null, removed: 0 };
    const bytes = await readFile(file);
    if (bytes.includes(0)) return { path, added: null, removed: null };
    const ends = bytes.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0);
    return { path, added: ends + (bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0), removed: 0 };
  } catch (error) {
    // Removed since it was listed, or not readable: list it without line counts.
    if (hasErrorCode(error, "ENOENT", "EACCES")) return { path, added: null, removed: null };
    throw error;
  }
}
