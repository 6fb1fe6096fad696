import type { Repository } from "../worktree/repository.ts";

/** `landed`: its changes are all in the current branch. */
export type BranchReadiness = "ready" | "conflict" | "landed";

/**
 * Tries to merge a branch into the current one, in memory: no branch and no file changes. Returns undefined if git
 * cannot tell.
 */
export async function branchReadiness(repository: Repository, branch: string): Promise<BranchReadiness | undefined> {
  const [head, merged] = await Promise.all([
    repository.git(["rev-parse", "HEAD^{tree}"]),
    repository.git(["merge-tree", "--write-tree", "--no-messages", "HEAD", `refs/heads/${branch}`]),
  ]);
  if (!head.ok) return undefined;
  const [tree = ""] = merged.stdout.split("\n");
  if (merged.ok) return tree === head.stdout.trim() ? "landed" : "ready";
  // Git prints a tree also for a conflict. Without one it failed for another reason.
  return /^[0-9a-f]{40,}$/.test(tree) ? "conflict" : undefined;
}
