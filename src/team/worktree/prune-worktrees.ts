import { TroupeError } from "../../protocol/index.ts";
import { creationLock } from "./create-worktree.ts";
import { settleWorktree } from "./finish-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { inspectWorktree } from "./inspect-worktree.ts";
import { isOwned } from "./list-worktrees.ts";
import { waitForOperationEnd } from "./processes-in-folder.ts";
import { openRepository, type Repository, type RepositoryContext } from "./repository.ts";
import { removeEmptyFolder, undoCreation } from "./undo-creation.ts";
import { listEntries, readEntry, type WorktreeEntry, writeEntry } from "./worktree-entry.ts";

export interface PrunedWorktree {
  readonly name: string;
  readonly path: string;
  readonly branch: string | undefined;
  /** `undone`: it was never finished. */
  readonly outcome: "removed" | "undone" | "kept" | "live" | "failed";
  readonly reasons: readonly string[];
}

export interface PruneRequest {
  /** Says what would be done, and does nothing. */
  readonly dryRun?: boolean;
  /** At a start: those that were looked at and kept before are not looked at again. */
  readonly onlyAbandoned?: boolean;
  onStep?(step: string): void | Promise<void>;
}

/**
 * Puts in order what killed sessions have left: half-made worktrees are taken back, half-removed ones removed, those without
 * an owner finished as if their agent had ended. Run at every start; one that holds work, or whose owner lives, stays.
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
  if (isOwned(entry)) return said("live", [`process ${entry.owner.pid} works with it`]);
  try {
    if (!(await waitForOperationEnd(repository.place, name))) return said("live", ["git is still at work in it"]);
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
    const settled = await settleWorktree(repository, entry, request);
    return settled.outcome === "kept" ? said("kept", settled.reasons) : said("removed");
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return said("failed", [error.message]);
  }
}

const isIncomplete = ({ state }: WorktreeEntry) => state === "making" || state === "preparing" || state === "landing";

/** Nobody was ever told of it; yet somebody may have found it and gone to work there. Set-up leaves files, but no commits. */
async function findWorkInIncomplete(repository: Repository, entry: WorktreeEntry): Promise<string[]> {
  if (entry.state === "landing") return [];
  const { reasons } = await inspectWorktree(repository, entry);
  return reasons.filter((reason) => /^(commits|stash|in use|locked):/.test(reason));
}
