import { TroupeError } from "../../protocol/index.ts";
import { creationLock } from "./create-worktree.ts";
import { keep, settleWorktree } from "./keep-or-remove-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { inspectWorktree } from "./inspect-worktree.ts";
import { isOwned, type ListedWorktree } from "./list-worktrees.ts";
import { waitForOperationEnd } from "./processes-in-folder.ts";
import { openRepository, type Repository, type RepositoryContext } from "./repository.ts";
import { removeEmptyFolder, undoCreation } from "./undo-creation.ts";
import { listEntries, readEntry, type WorktreeEntry, writeEntry } from "./worktree-entry.ts";

export interface PrunedWorktree extends Pick<ListedWorktree, "name" | "path" | "branch" | "reasons"> {
  /** `undone`: its creation was never finished. */
  readonly outcome: "removed" | "undone" | "kept" | "live" | "failed";
}

export interface PruneRequest {
  /** Reports what would be done, and does nothing. */
  readonly dryRun?: boolean;
  /**
   * At a start: skip worktrees that were inspected and kept before, and keep those without work too. Their agents may
   * continue when their session is resumed.
   */
  readonly onlyAbandoned?: boolean;
  onStep?(step: string): void | Promise<void>;
}

/**
 * Recovers what killed sessions left. Incomplete worktrees are undone, half-removed ones removed, and those without an
 * owner finished as if their agent had ended. Runs at every start, which removes no worktree of an agent. A worktree
 * that holds work or has a live owner stays.
 */
export async function pruneWorktrees(
  place: RepositoryContext,
  request: PruneRequest = {},
): Promise<{ worktrees: readonly PrunedWorktree[]; problems: readonly string[] }> {
  const repository = await openRepository(place);
  const { entries, problems } = await listEntries(repository);
  const worktrees: PrunedWorktree[] = [];
  for (const { name, state } of entries) {
    if (request.onlyAbandoned && state === "kept") continue;
    const one = await withRepositoryLock(place, creationLock(repository), () => pruneOne(repository, name, request));
    if (one) worktrees.push(one);
  }
  if (!request.dryRun) await removeEmptyFolder(repository);
  return { worktrees, problems };
}

async function pruneOne(
  repository: Repository,
  name: string,
  request: PruneRequest,
): Promise<PrunedWorktree | undefined> {
  const entry = await readEntry(repository, name);
  if (!entry) return undefined;
  const { path, branch } = entry;
  const said = (outcome: PrunedWorktree["outcome"], reasons: readonly string[] = []) => ({
    name,
    path,
    branch,
    outcome,
    reasons,
  });
  if (isOwned(entry)) return said("live", [`process ${entry.owner.pid} uses it`]);
  try {
    if (!(await waitForOperationEnd(repository.place, name))) return said("live", ["git still runs in it"]);
    if (isIncomplete(entry)) {
      const work = await findWorkInIncomplete(repository, entry);
      if (request.dryRun) return work.length > 0 ? said("kept", work) : said("undone");
      if (work.length === 0) await undoCreation(repository, entry);
      else await writeEntry(repository, { ...entry, state: "kept", reasons: work });
      return work.length > 0 ? said("kept", work) : said("undone");
    }
    if (request.dryRun) {
      const { reasons } = await inspectWorktree(repository, entry);
      return said(reasons.length === 0 ? "removed" : "kept", reasons);
    }
    const found = await inspectWorktree(repository, entry);
    if (request.onlyAbandoned && entry.state === "live" && found.reasons.length === 0) {
      await keep(repository, entry, { reasons: [], rescued: [] });
      return said("live", ["its agent may continue"]);
    }
    const settled = await settleWorktree(repository, entry, { ...request, found });
    return settled.outcome === "kept" ? said("kept", settled.reasons) : said("removed");
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return said("failed", [error.message]);
  }
}

const isIncomplete = ({ state }: WorktreeEntry) => state === "making" || state === "preparing" || state === "landing";

/**
 * No agent was given this worktree, but a user may have found it and worked there. The setup makes files, but no
 * commits.
 */
async function findWorkInIncomplete(repository: Repository, entry: WorktreeEntry): Promise<string[]> {
  if (entry.state === "landing") return [];
  const { reasons } = await inspectWorktree(repository, entry);
  return reasons.filter((reason) => /^(commits|stash|in use|locked):/.test(reason));
}
