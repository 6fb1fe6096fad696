export { createWorktree, type Worktree, worktreeName } from "./worktree/create-worktree.ts";
export { finishWorktree } from "./worktree/keep-or-remove-worktree.ts";
export { type ListedWorktree, listWorktrees } from "./worktree/list-worktrees.ts";
export { portsForExternalWorktree, releasePorts } from "./worktree/ports-for-external-worktree.ts";
export { pruneWorktrees } from "./worktree/prune-worktrees.ts";
export { withDiskFullRetry } from "./storage/disk-full-retry-team.ts";
export { noteLeftBranch } from "./storage/note-left-branch.ts";
export { unlandedWork } from "./storage/unlanded-work.ts";
export { recoverWorktrees } from "./recover-worktrees.ts";
export { outdatedAssignment } from "./mailbox/outdated-assignment.ts";
export { gitWorktrees, type WorktreeEngine } from "./worktree-engine.ts";
export { recreateWorktree } from "./worktree/recreate-worktree.ts";
export { resumeWorktree } from "./worktree/resume-worktree.ts";
export { worktreeFacts } from "./worktree/worktree-facts.ts";
export { worktreeState } from "./worktree/worktree-state.ts";
export { gitFailed, openRepository, type Repository, type RepositoryContext } from "./worktree/repository.ts";
export { type RefusedBranch } from "./land/build-batch.ts";
export { type LandToolPorts } from "./land/land-tool.ts";
export { branchAuthor } from "./land/branch-author.ts";
export { conflictHunks } from "./land/conflict-hunks.ts";
export { type Conflict, type Resolution, type ResolveConflict } from "./land/describe-conflict.ts";
export { leftMarkers } from "./land/left-markers.ts";
export { land, type LandReport, recoverInterruptedLanding } from "./land/land.ts";
export { type RecoveredLanding } from "./land/recover-landing.ts";
export {
  type AgentSlot,
  createAgentSlots,
  requireSlot,
  type SlotResult,
  type AgentSlots,
} from "./limits/agent-slots.ts";
export {
  createRepetitionDetector,
  type Repetition,
  type RepetitionDetectorOptions,
} from "./watchdog/repetition-detector.ts";
export { createStallWatchdog, waitForStall, type StallWatchdogOptions } from "./watchdog/stall-watchdog.ts";
export { type Acceptance, type AcceptanceCheckOptions, runAcceptanceChecks } from "./evidence/acceptance-checks.ts";
export { branchReadiness } from "./land/branch-readiness.ts";
export { type DiffStat, diffStat } from "./evidence/diff-stat.ts";
export { diffLine } from "./evidence/diff-line.ts";
export { worktreeDiff } from "./evidence/worktree-diff.ts";
export { subagentName } from "./subagents/subagent-name.ts";
export { diffText, evidenceJson, evidenceText } from "./evidence/evidence-text.ts";
export { evidenceOf } from "./evidence/evidence.ts";
export { createFileOverlapMap, type FileOverlap } from "./evidence/file-overlap.ts";
export type { Subagent, SubagentDefaults } from "./subagents/subagent.ts";
export { buildSubagent, findSpawned, specFromLog, type SubagentSpec } from "./subagents/build-subagent.ts";
export {
  type Isolation,
  type LoggedWorktree,
  type OpenedRuntime,
  type RuntimeFactory,
  type RuntimeRequest,
  type RuntimeSource,
  type SubagentRuntime,
} from "./subagents/subagent-runtime.ts";
export {
  type SubagentRegistry,
  createSubagentRegistry,
  type ParentAgent,
} from "./subagents/subagent-registry.ts";
export { createIdleCache } from "./subagents/idle-cache.ts";
export { resumeSubagent } from "./subagents/resume-subagent.ts";
export { moveToBackground } from "./subagents/move-to-background.ts";
export { createCrashReport, type CrashReport } from "./subagents/crash-report.ts";
export { createAgentTool, type TeammateStarter, type TeammateSpawnRequest } from "./tools/agent-tool.ts";
export { createPermissionRequests, type PermissionRequests } from "./requests/permission-requests.ts";
export type { Backend, RunningMember } from "./backend/backend.ts";
export type { LeadTeam } from "./lead/lead-team.ts";
export type { LeadTeamOptions, MemberBackends } from "./lead/lead-context.ts";
export { loadLeadTeam } from "./lead/load-lead-team.ts";
export { type Mailbox } from "./mailbox/mailbox.ts";
export { createMailSender, type MailSender } from "./mailbox/mail-sender.ts";
export { createInboxConsumer, type InboxConsumer } from "./mailbox/inbox-consumer.ts";
export { createTeammateWatchdog } from "./teammate/teammate-watchdog.ts";
export {
  type SpawnModels,
  type SpawnResolver,
  createSpawnResolver,
  type ResolvedSpawn,
  workerType,
} from "./subagents/resolve-spawn.ts";
export { createInProcessBackend } from "./backend/in-process-backend.ts";
export { movePane } from "./backend/move-pane.ts";
export { createTmuxBackend } from "./backend/load-tmux-backend.ts";
export type { TmuxBackendOptions } from "./backend/tmux-backend.ts";
export { createSharedLedger } from "./limits/shared-ledger.ts";
export { createSharedSlots, type SharedSlots } from "./limits/shared-slots.ts";
export { withClaimedSender } from "./mailbox/claimed-sender.ts";
export { openMailbox } from "./mailbox/open-mailbox.ts";
export { unreadMail } from "./teammate/unread-mail.ts";
export { externalMemberError } from "./mailbox/external-member-error.ts";
export { createRosterNotes, type RosterNotes } from "./teammate/roster-notes.ts";
export type { ClaimingPorts } from "./teammate/task-claimer.ts";
export { createTeammateRunner, type MemberEnd, type TeammateRunner } from "./teammate/teammate-runner.ts";
export { createSpawnRequests, type SpawnRequest } from "./requests/spawn-requests.ts";
export { createSendMessageTool } from "./tools/send-message-tool.ts";
export { createMemberMessageTool, type MemberMessagePorts } from "./tools/member-message-tool.ts";
export type { OpenRequest } from "./tools/control-messages.ts";
export { acceptTask } from "./tools/accept-task.ts";
export type { TaskEvent, TaskHooks } from "./tools/task-tool-ports.ts";
export { createTaskTools } from "./tools/task-tools.ts";
export { explainMembers } from "./tools/explain-members.ts";
export { onlyForOwner } from "./tools/only-for-owner.ts";
export { createTeamTools } from "./tools/team-tools.ts";
export { unlandedBlockers } from "./tools/unlanded-blockers.ts";
export { adoptReservedTasks } from "./lead/adopt-reserved-tasks.ts";
export { withAssignmentMail } from "./mailbox/assign-task.ts";
export { handOverTask } from "./lead/hand-over-task.ts";
export { createTeam, type OpenTeam, openTeam } from "./open-team.ts";
export type { BroadcastReport, OutgoingMail, ReceivedMail } from "./mailbox/index.ts";
