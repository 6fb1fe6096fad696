import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode, realPathSync } from "../../platform/index.ts";
import type { Repository } from "./repository.ts";

export interface AdminFolder {
  readonly path: string;
  /** The lock reason in git's list of worktrees. */
  readonly lockedBecause: string | undefined;
}

/** The folder in which the repository keeps the data of one worktree. Found by the path stored there, as git does. */
export async function findAdminFolder(repository: Repository, worktree: string): Promise<AdminFolder | undefined> {
  const wanted = realPathSync(worktree);
  for (const folder of await adminFolders(repository)) {
    const gitFile = (await optionalText(join(folder, "gitdir")))?.trim();
    if (gitFile === undefined || realPathSync(dirname(gitFile)) !== wanted) continue;
    return { path: folder, lockedBecause: (await optionalText(join(folder, "locked")))?.trim() };
  }
  return undefined;
}

/** The remains of a killed `git worktree add` for this name: a folder without a worktree, which git never prunes. */
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
