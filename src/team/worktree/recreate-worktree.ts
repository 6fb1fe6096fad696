import { existsSync } from "node:fs";
import { basename } from "node:path";
import { recreatedWorktreeText } from "../../agent/index.ts";
import type { AgentId, WorktreeSettings } from "../../protocol/index.ts";
import { createWorktree, creationLock, type Worktree } from "./create-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { openRepository, type Repository, type RepositoryContext } from "./repository.ts";
import { forgetWorktree } from "./undo-creation.ts";
import { readEntry, removeEntry, type WorktreeEntry } from "./worktree-entry.ts";

export interface LostWorktree {
  readonly agentId: AgentId;
  readonly path: string;
  readonly branch: string;
  readonly settings?: WorktreeSettings;
}

/**
 * Makes a worktree again whose folder is gone, at the same path. Its branch is checked out if it still exists.
 * Otherwise a branch of that name starts from the base of the worktree, or from `HEAD` if that is not known.
 */
export async function recreateWorktree(place: RepositoryContext, lost: LostWorktree): Promise<Worktree> {
  const { agentId, path, branch, settings } = lost;
  const repository = await openRepository(place);
  const name = basename(path);
  const entry = await forgetLost(repository, { name, path });
  const hasBranch = (await repository.git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])).ok;
  const base = entry?.base ?? (hasBranch ? await commonBase(repository, branch) : undefined);
  const { baseBranch, landed } = entry ?? {};
  const made = await createWorktree(place, {
    agentId,
    name,
    again: { path, branch, hasBranch, baseBranch, landed },
    ...(base !== undefined && { base }),
    ...(settings && { settings }),
  });
  const recreated = recreatedWorktreeText(made.facts, hasBranch ? "kept" : "new");
  return { ...made, facts: { ...made.facts, recreated } };
}

/** Removes what git and the records still know of a worktree without a folder. Returns its entry. */
async function forgetLost(
  repository: Repository,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<WorktreeEntry | undefined> {
  return withRepositoryLock(repository.place, creationLock(repository), async () => {
    const entry = await readEntry(repository, name);
    // A folder that is there is never touched: making the worktree fails then, and says so.
    if (existsSync(path)) return entry;
    await forgetWorktree(repository, { path });
    if (entry) await removeEntry(repository, name);
    return entry;
  });
}

async function commonBase(repository: Repository, branch: string): Promise<string | undefined> {
  const found = await repository.git(["merge-base", "HEAD", `refs/heads/${branch}`]);
  return found.ok ? found.stdout.trim() : undefined;
}
