export { type Agent, type AgentOptions, createAgent } from "./agent.ts";
export { type AskSideQuestion, createAskSideQuestion } from "./ask-side-question.ts";
export { type Conversation, createConversation, type Inherit, type PastEvents } from "./conversation.ts";
export { currentEnvelopes, currentEvents } from "./current-events.ts";
export { composeCoordinatorPrompt } from "./coordinator-prompt.ts";
export type { EventSink } from "./event-sink.ts";
export { hasPrompt } from "./has-prompt.ts";
export {
  remoteTeammateConduct,
  remoteConduct,
  stillRunningRemotely,
  adoptedJobNotice,
} from "./fragments/system/remote-conduct.ts";
export { type PermissionFacts, permissionSummary } from "./fragments/system/permission-summary.ts";
export { type DeniedAgent, refusedCommand, type RefusedCommand } from "./fragments/calls/denied-call.ts";
export { agentMemory } from "./fragments/system/agent-memory.ts";
export { type PreloadedSkill, preloadedSkills } from "./fragments/system/preloaded-skills.ts";
export {
  type LaunchedAgent,
  agentLaunched,
  agentNotification,
  type AgentReport,
  agentResult,
  stoppedAgentNotification,
} from "./fragments/subagents/agent-result.ts";
export { conflictTask, giveUpReason, leftMarkersTask } from "./fragments/team/conflict-task.ts";
export {
  isWorkerServers,
  scratchpadText,
  type WorkerFacts,
  workerServers,
} from "./fragments/system/coordinator-conduct.ts";
export { historyQuestion, progressQuestion } from "./fragments/subagents/activity-summary.ts";
export { type ReportCheck, reportCheckQuestion, parseReportCheck } from "./fragments/subagents/report-check.ts";
export { backgroundNotification } from "./fragments/calls/background-notification.ts";
export { runningCommandsNotice } from "./fragments/calls/running-commands.ts";
export {
  planModeForSubagent,
  planModeOff,
  planModeOn,
  planModeOnForCoordinator,
  planNext,
  planReminder,
  planUnattended,
  questionUnattended,
} from "./fragments/plan-mode.ts";
export { nestedInstructions } from "./fragments/system/instructions.ts";
export { hookContext, sentBackByHook } from "./fragments/calls/hook-feedback.ts";
export { archivedReportsNote } from "./fragments/team/archived-reports.ts";
export { isOnlyWaiting, isWaitingForJob, memberMail } from "./fragments/team/member-mail.ts";
export { shutdownAnswerCall, shutdownReminder } from "./fragments/team/shutdown-reminder.ts";
export type { AgentHooks, HookedCall } from "./hooks.ts";
export { isMcpInstructions, mcpInstructions } from "./fragments/system/mcp-instructions.ts";
export { type Amount, type Budget, createLedger, type Hold, type Ledger, tokensIn } from "./ledger.ts";
export { createPermissions, type PermissionPorts, type PermissionQuestion, type Permissions } from "./permissions.ts";
export { createRecorder, isDiskFull, type ReceivingRecorder } from "./recorder.ts";
export { closeOpenCalls } from "./close-open-calls.ts";
export { type RunAgentOptions, type RunOutcome, runAgent } from "./run-agent.ts";
export {
  composeAgentPrompt,
  composeSystemPrompt,
  refreshSystemPrompt,
  type SystemPromptFacts,
} from "./system-prompt.ts";
export { escapeSenders, escapeTags } from "./fragments/escape-markup.ts";
export { troupeNotice } from "./fragments/notice.ts";
export {
  assignmentMail,
  taskChangeNote,
  taskHolderNote,
  taskMails,
  type TaskMail,
  outdatedAssignmentNote,
} from "./fragments/team/task-mail.ts";
export {
  type BusyMember,
  openPlansPrompt,
  planAnswerCall,
  teamIdlePrompt,
  teamNewsPrompt,
} from "./fragments/team/team-idle.ts";
export { memberIsNoJob } from "./fragments/team/member-is-no-job.ts";
export { type LeftWorktree, memberEnded, memberEndedText } from "./fragments/team/member-ended.ts";
export { claimedTask, taskDetails, taskLine, taskLines } from "./fragments/team/task-lines.ts";
export { lostTranscriptNotice, ownLostTranscriptNotice } from "./fragments/team/lost-transcript.ts";
export {
  type BranchUse,
  uncheckableText,
  uncommittedNote,
  unfinishedWorkNote,
  unlandedBlockerNote,
  unlandedNote,
  type UnlandedWork,
} from "./fragments/team/unlanded-work.ts";
export { type PreviousRun, sessionResumed } from "./fragments/team/session-resumed.ts";
export { rosterChanged } from "./fragments/team/roster-change.ts";
export { modeChanged } from "./fragments/team/mode-changed.ts";
export { teamAlreadyLed, type DeletedTeam, teamDeleted, teamStillActive } from "./fragments/team/team-tool-texts.ts";
export {
  leadConduct,
  teammateConduct,
  type TeamFacts,
} from "./fragments/system/team-conduct.ts";
export { subagentConduct } from "./fragments/system/subagent-conduct.ts";
export type { Workplace, WorktreePlace } from "./fragments/system/workplace.ts";
export { type OngoingAgent, ongoingWork, type OngoingTeam } from "./fragments/ongoing-work.ts";
export { keptInstructions, keptOrders, keptSkills } from "./fragments/kept-context.ts";
export { createOrders, type Orders, type OrderSender } from "./orders.ts";
export type { KeepContext } from "./compact.ts";
export { forkInstructions } from "./fragments/subagents/fork.ts";
export {
  recreatedWorktreeText,
  type WorktreeFacts,
  type WorktreeState,
  worktreeStateLine,
} from "./fragments/worktree.ts";
