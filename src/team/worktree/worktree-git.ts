import type { GitCall, Repository } from "./repository.ts";

/**
 * Git for one worktree, told where its git folder is: what lies in `.git` there by now is the agent's to change, and is
 * not asked.
 */
export const worktreeGit =
  (repository: Repository, tree: { readonly path: string; readonly admin: string }) =>
  (args: readonly string[], call: GitCall = {}) =>
    repository.git(["--git-dir", tree.admin, "--work-tree", tree.path, ...args], { cwd: tree.path, ...call });
