export { createWorktree, type Worktree, type WorktreeRequest } from "./worktree/create-worktree.ts";
export { type FinishedWorktree, type FinishRequest, finishWorktree } from "./worktree/finish-worktree.ts";
export { type ListedWorktree, listWorktrees } from "./worktree/list-worktrees.ts";
export { type PrunedWorktree, type PruneRequest, pruneWorktrees } from "./worktree/prune-worktrees.ts";
export { resumeWorktree } from "./worktree/resume-worktree.ts";
export type { TeamPlace } from "./worktree/repository.ts";
