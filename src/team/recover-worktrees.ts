import { existsSync } from "node:fs";
import { join } from "node:path";
import { TroupeError } from "../protocol/index.ts";
import { isLandingInterrupted, recoverInterruptedLanding } from "./land/land.ts";
import { type PrunedWorktree, pruneWorktrees } from "./worktree/prune-worktrees.ts";
import { openRepository, type RepositoryContext } from "./worktree/repository.ts";

/**
 * Runs at every start: finishes or undoes what killed sessions left in this repository. Returns one line for each
 * action and each kept worktree. Returns at once if no worktree was ever made.
 */
export async function recoverWorktrees(
  place: RepositoryContext,
  onRemoved: (removed: readonly PrunedWorktree[]) => Promise<readonly string[]> = async () => [],
): Promise<readonly string[]> {
  if (!existsSync(join(place.home, "worktrees"))) return [];
  try {
    const notices: string[] = [];
    if (await isLandingInterrupted(await openRepository(place))) {
      const settled = await recoverInterruptedLanding(place, { rollBack: false });
      if (settled) notices.push(`An interrupted landing is ${settled.outcome}.`, ...settled.notices);
    }
    const { worktrees, problems } = await pruneWorktrees(place, { onlyAbandoned: true });
    for (const { path, outcome, reasons } of worktrees) {
      if (outcome === "kept") notices.push(`Kept the worktree ${path} of a killed session: ${reasons.join("; ")}`);
      if (outcome === "failed") notices.push(`Cannot clean up the worktree ${path}: ${reasons.join("; ")}`);
    }
    const removalNotices = await onRemoved(worktrees.filter(({ outcome }) => outcome === "removed"));
    return [...notices, ...problems, ...removalNotices];
  } catch (error) {
    // Outside a repository there is nothing to recover. Inside, a failure must not prevent the session's start.
    if (!TroupeError.is(error)) throw error;
    return /not in a git repository|no working tree/.test(error.message) ? [] : [error.message];
  }
}
