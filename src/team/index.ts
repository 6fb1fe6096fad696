export { createWorktree, type Worktree } from "./worktree/create-worktree.ts";
export { finishWorktree } from "./worktree/finish-worktree.ts";
export { type ListedWorktree, listWorktrees } from "./worktree/list-worktrees.ts";
export { pruneWorktrees } from "./worktree/prune-worktrees.ts";
export { putInOrder } from "./put-in-order.ts";
export { resumeWorktree } from "./worktree/resume-worktree.ts";
export type { TeamPlace } from "./worktree/repository.ts";
export { type RefusedBranch } from "./land/build-batch.ts";
export { type Conflict, type ResolveConflict } from "./land/conflict.ts";
export { land, type LandReport, settleLanding } from "./land/land.ts";
export { type Recovered } from "./land/recover-landing.ts";
export {
  type AgentPlace,
  createSpawnLimits,
  type SpawnAnswer,
  type SpawnLimits,
  type SpawnRequest,
} from "./spawn-limits.ts";
export {
  createRepetitionWatch,
  type Repetition,
  type RepetitionOptions,
  type RepetitionWatch,
} from "./repetition.ts";
export { createWatchdog, keepWatch, type Verdict, type Watchdog, type WatchdogOptions } from "./watchdog.ts";
export { type Acceptance, type AcceptanceOptions, type CheckResult, runAcceptance } from "./evidence-acceptance.ts";
export { diffStat, type DiffStat } from "./evidence-diff.ts";
export { evidenceJson, evidenceText, type FullEvidence } from "./evidence-text.ts";
export { createEvidence, type Evidence, type EvidenceFold, evidenceOf } from "./evidence.ts";
export { createOverlapMap, type Overlap, type OverlapMap, type OverlapOptions } from "./overlap.ts";
