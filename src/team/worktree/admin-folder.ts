import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode, realPathSync } from "../../platform/index.ts";
import type { Repository } from "./repository.ts";

export interface AdminFolder {
  readonly path: string;
  /** Why git's own list says that it is locked. */
  readonly lockedBecause: string | undefined;
}

/** Where the repository keeps what belongs to one worktree; found by the path that is written there, as git itself does. */
export async function findAdminFolder(repository: Repository, worktree: string): Promise<AdminFolder | undefined> {
  const wanted = realPathSync(worktree);
  for (const folder of await adminFolders(repository)) {
    const gitFile = (await optionalText(join(folder, "gitdir")))?.trim();
    if (gitFile === undefined || realPathSync(dirname(gitFile)) !== wanted) continue;
    return { path: folder, lockedBecause: (await optionalText(join(folder, "locked")))?.trim() };
  }
  return undefined;
}

/** What a `git worktree add` that was killed at once left of this name: a folder that leads nowhere yet, which git never prunes. */
export async function findUnfinishedAdminFolders(repository: Repository, worktree: string): Promise<string[]> {
  const name = basename(worktree);
  const found: string[] = [];
  for (const folder of await adminFolders(repository)) {
    if (basename(folder).replace(/\d+$/, "") !== name.replace(/\d+$/, "")) continue;
    if ((await optionalText(join(folder, "gitdir"))) !== undefined) continue;
    if (["initializing", undefined].includes((await optionalText(join(folder, "locked")))?.trim())) found.push(folder);
  }
  return found;
}

async function adminFolders({ commonDir }: Repository): Promise<string[]> {
  const folder = join(commonDir, "worktrees");
  try {
    return (await readdir(folder)).map((name) => join(folder, name));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}

async function optionalText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
