import { rm, rmdir } from "node:fs/promises";
import { hasErrorCode, storageError } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { findAdminFolder, findUnfinishedAdminFolders } from "./admin-folder.ts";
import { waitForOperationEnd } from "./processes-in-folder.ts";
import { releasePorts } from "./port-blocks.ts";
import { defaultWorktreeFolder, gitFailed, type Repository } from "./repository.ts";
import { removeEntry, type WorktreeEntry } from "./worktree-entry.ts";

/**
 * Takes back a worktree that was never handed to anybody, at whatever point its making stopped. The entry was written when
 * neither its folder nor its branch existed, so both are this attempt's own; a branch that has moved since is left alone.
 */
export async function undoCreation(repository: Repository, entry: WorktreeEntry): Promise<void> {
  if (!(await waitForOperationEnd(repository.place, entry.name))) {
    throw new TroupeError("git", `${entry.path} is still being worked on by git; try again later`);
  }
  await removeFolder(entry.path);
  await forgetWorktree(repository, entry);
  await removeBranch(repository, entry, entry.base);
  if (entry.portBase !== undefined) await releasePorts(repository.place, entry.path);
  await removeEntry(repository, entry.name);
  await removeEmptyFolder(repository);
}

/** The folder beside the project goes with the last worktree in it; one that the user has named stays. */
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

/** Takes a worktree whose folder is gone off git's list. */
export async function forgetWorktree(repository: Repository, entry: Pick<WorktreeEntry, "path">): Promise<void> {
  const admin = await findAdminFolder(repository, entry.path);
  if (admin?.lockedBecause !== undefined) await repository.git(["worktree", "unlock", entry.path]);
  if (admin) {
    const args = ["worktree", "remove", entry.path];
    const removed = await repository.git(args);
    // A prune beside us may have been faster.
    if (!removed.ok && (await findAdminFolder(repository, entry.path))) await removeFolder(admin.path);
  }
  for (const folder of await findUnfinishedAdminFolders(repository, entry.path)) await removeFolder(folder);
}

/** Only where it still stands at `tip`. True if it is gone. */
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
