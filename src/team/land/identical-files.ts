import { lstatSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import type { Repository } from "../worktree/repository.ts";

/** Returns the paths at which the working tree has exactly what one of these commits has, or lacks, at that path. */
export async function identicalFiles(
  repository: Repository,
  paths: readonly string[],
  commits: readonly string[],
): Promise<ReadonlySet<string>> {
  const identical = new Set<string>();
  if (paths.length === 0) return identical;
  const trees = await Promise.all(commits.map((commit) => entriesOf(repository, commit, paths)));
  for (const path of paths) {
    const entry = await entryOnDisk(repository, path);
    if (entry !== undefined && trees.some((tree) => (tree.get(path) ?? noFile) === entry)) identical.add(path);
  }
  return identical;
}

/** Makes the index agree with these files, so that git sees no change in them. The files stay as they are. */
export async function stageFiles(repository: Repository, paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += chunk)
    await repository.ask(["update-index", "--add", "--remove", "--", ...paths.slice(at, at + chunk)]);
}

/** Undoes `stageFiles` for files whose index entry was that of HEAD. */
export async function unstageFiles(repository: Repository, paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += chunk)
    await repository.ask(["reset", "--quiet", "--", ...paths.slice(at, at + chunk).map(literal)]);
}

const chunk = 500;
const noFile = "none";
const literal = (path: string) => `:(literal)${path}`;

/** Mode and blob of each of these paths in a commit. */
async function entriesOf(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>();
  for (let at = 0; at < paths.length; at += chunk) {
    const listed = await repository.ask(["ls-tree", "-r", "-z", commit, "--", ...paths.slice(at, at + chunk)]);
    for (const line of listed.split("\0").filter(Boolean)) {
      const [facts = "", path = ""] = line.split("\t", 2);
      const [mode, , blob] = facts.split(" ");
      entries.set(path, `${mode} ${blob}`);
    }
  }
  return entries;
}

/** Undefined for anything but a regular file. Compares as git stores it: line ends may differ from the object. */
async function entryOnDisk(repository: Repository, path: string): Promise<string | undefined> {
  const full = join(repository.top, path);
  try {
    const stats = lstatSync(full);
    if (!stats.isFile()) return undefined;
    const blob = await repository.ask(["hash-object", "--", path]);
    return `${(stats.mode & 0o100) === 0 ? "100644" : "100755"} ${blob}`;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return noFile;
    throw error;
  }
}
