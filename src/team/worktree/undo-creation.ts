import { rm, rmdir } from "node:fs/promises";
import { hasErrorCode, storageError } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { findAdminFolder, findUnfinishedAdminFolders } from "./git-admin-folder.ts";
import { waitForOperationEnd } from "./processes-in-folder.ts";
import { releasePorts } from "./port-blocks.ts";
import { defaultWorktreeFolder, gitFailed, type Repository } from "./repository.ts";
import { removeEntry, type WorktreeEntry } from "./worktree-entry.ts";

/**
 * Undoes a worktree that no agent has used, at whatever point its creation stopped. Neither its folder nor its branch
 * existed when the entry was written, so both belong to this attempt. A branch that has moved since is left alone.
 */
export async function undoCreation(repository: Repository, entry: WorktreeEntry): Promise<void> {
  if (!(await waitForOperationEnd(repository.place, entry.name))) {
    throw new TroupeError("git", `cannot remove ${entry.path}: git still runs in it. Try again later.`);
  }
  await removeFolder(entry.path);
  await forgetWorktree(repository, entry);
  await removeBranch(repository, entry, entry.base);
  if (entry.portBase !== undefined) await releasePorts(repository.place, entry.path);
  await removeEntry(repository, entry.name);
  await removeEmptyFolder(repository);
}

/** Removes the folder beside the project with its last worktree. A folder that the user named stays. */
export async function removeEmptyFolder(repository: Repository): Promise<void> {
  const folder = defaultWorktreeFolder(repository);
  try {
    await rmdir(folder);
  } catch (error) {
    if (!hasErrorCode(error, "ENOTEMPTY", "EEXIST", "ENOENT", "EACCES", "EPERM", "EROFS", "EBUSY")) {
      throw storageError("remove", folder, error);
    }
  }
}

export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw storageError("remove", path, error);
  }
}

/** Removes a worktree whose folder is gone from git's list. */
export async function forgetWorktree(repository: Repository, entry: Pick<WorktreeEntry, "path">): Promise<void> {
  const admin = await findAdminFolder(repository, entry.path);
  if (admin?.lockedBecause !== undefined) await repository.git(["worktree", "unlock", entry.path]);
  if (admin) {
    const args = ["worktree", "remove", entry.path];
    const removed = await repository.git(args);
    // A concurrent prune may have removed it.
    if (!removed.ok && (await findAdminFolder(repository, entry.path))) await removeFolder(admin.path);
  }
  for (const folder of await findUnfinishedAdminFolders(repository, entry.path)) await removeFolder(folder);
}

/** Removes the branch only if it is still at `tip`. True if it is gone. */
export async function removeBranch(
  repository: Repository,
  { branch }: Pick<WorktreeEntry, "branch">,
  tip: string,
): Promise<boolean> {
  if (branch === undefined) return true;
  const ref = `refs/heads/${branch}`;
  const now = await repository.git(["rev-parse", "--verify", "--quiet", ref]);
  if (!now.ok) return true;
  if (now.stdout.trim() !== tip) return false;
  const args = ["update-ref", "-d", ref, tip];
  const removed = await repository.git(args);
  if (!removed.ok) throw gitFailed(args, removed.stderr);
  return true;
}
