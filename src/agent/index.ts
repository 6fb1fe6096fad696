export { type Agent, type AgentOptions, createAgent } from "./agent.ts";
export { type AskSideQuestion, createAskSideQuestion } from "./ask-aside.ts";
export { type Conversation, createConversation, type Inherit } from "./conversation.ts";
export { composeCoordinatorPrompt } from "./coordinator-prompt.ts";
export type { EventSink } from "./event-sink.ts";
export { hasPrompt } from "./has-prompt.ts";
export {
  remoteTeammateConduct,
  remoteConduct,
  stillRunningRemotely,
  adoptedJobNotice,
} from "./fragments/remote-words.ts";
export { agentMemory } from "./fragments/agent-memory.ts";
export { type PreloadedSkill, preloadedSkills } from "./fragments/preloaded-skills.ts";
export { agentLaunched, agentNotification, type AgentReport, agentResult } from "./fragments/agent-result.ts";
export { conflictTask, giveUpReason } from "./fragments/conflict.ts";
export { isWorkerServers, scratchpadText, type WorkerFacts, workerServers } from "./fragments/coordinator.ts";
export { historyQuestion, progressQuestion } from "./fragments/agent-summary.ts";
export { type ReportCheck, reportCheckQuestion, parseReportCheck } from "./fragments/hand-over.ts";
export { backgroundNotification } from "./fragments/background-notification.ts";
export { planModeOff, planModeOn, planModeOnForCoordinator, planUnattended } from "./fragments/plan-mode.ts";
export { nestedInstructions } from "./fragments/instructions.ts";
export { hookContext, sentBackByHook } from "./fragments/hook-words.ts";
export { archivedReportsNote } from "./fragments/earlier-reports.ts";
export { memberMail } from "./fragments/member-mail.ts";
export type { AgentHooks, HookedCall } from "./hooks.ts";
export { isMcpInstructions, mcpInstructions } from "./fragments/mcp-instructions.ts";
export { type Amount, type Budget, createLedger, type Hold, type Ledger, tokensIn } from "./limits.ts";
export { createPermissions, type PermissionPorts, type PermissionQuestion, type Permissions } from "./permissions.ts";
export { createRecorder, isDiskFull, type ReceivingRecorder } from "./recorder.ts";
export { closeOpenCalls } from "./settle-open-calls.ts";
export { type RunAgentOptions, type RunOutcome, runAgent } from "./run-agent.ts";
export {
  composeAgentPrompt,
  composeSystemPrompt,
  refreshSystemPrompt,
} from "./system-prompt.ts";
export { escapeSenders, escapeTags } from "./fragments/escape-markup.ts";
export { teamIdlePrompt } from "./fragments/everybody-idle.ts";
export { claimedTask, taskDetails, taskLine, taskLines } from "./fragments/task-words.ts";
export { lostTranscriptNotice, ownLostTranscriptNotice } from "./fragments/memory-gone.ts";
export { leadConduct, teammateConduct } from "./fragments/team-words.ts";
export { ongoingWork, type OngoingTeam } from "./fragments/still-there.ts";
export { forkInstructions, forkMarker } from "./fragments/fork.ts";
