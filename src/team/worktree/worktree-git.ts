import type { GitCall, Repository } from "./repository.ts";

/**
 * Git for one worktree with an explicit git folder. The agent may have changed the `.git` file there, so it is not
 * used.
 */
export const worktreeGit =
  (repository: Repository, tree: { readonly path: string; readonly admin: string }) =>
  (args: readonly string[], call: GitCall = {}) =>
    repository.git(["--git-dir", tree.admin, "--work-tree", tree.path, ...args], { cwd: tree.path, ...call });
