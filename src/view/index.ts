export { type Activity, activityOf, type AgentStatus, type AgentView, type Draft } from "./session/agent-view.ts";
export { answerText } from "./transcript/answer-text.ts";
export {
  addNotice,
  closeDialog,
  focusQuestion,
  leaveQuestion,
  openDialog,
  waitingQuestion,
  withPromptUse,
} from "./app/app-dialog.ts";
export { catchUp, createAppState, nextTick, applyEnvelope, visibleRows, tick } from "./app/fold-app-state.ts";
export type { AppNotice, AppState, Dialog } from "./app/app-state.ts";
export { append, type ChunkedList, emptyList, itemAt, itemsOf, replaceAt, toArray } from "./lists/chunked-list.ts";
export {
  addCosts,
  cachedShare,
  costByModel,
  type CostReport,
  costReport,
  type CostSum,
  totalCost,
} from "./cost/cost-report.ts";
export {
  type CostCell,
  type CostSeries,
  emptyCostSeries,
  joinCostSeries,
  maxBuckets,
  maxSeries,
  reduceCostSeries,
} from "./cost/cost-series.ts";
export { codeTokens } from "./markdown/code-tokens.ts";
export { decodeHtmlEntities } from "./markdown/decode-html-entities.ts";
export { isMarkdown } from "./markdown/is-markdown.ts";
export { costSums, costTable } from "./cost/cost-table.ts";
export {
  type AnsweredQuestion,
  type AnswerHistory,
  emptyAnswerHistory,
  reduceAnswerHistory,
} from "./questions/answer-history.ts";
export { type ElicitField, elicitFieldsOf, parseFieldValue, isElicitation } from "./questions/elicit-fields.ts";
export {
  foldTranscript,
  dropTranscript,
  isTranscriptEvent,
  restoreTranscript,
} from "./transcript/forget-transcript.ts";
export { valueAt, valuesOf } from "./lists/keyed-list.ts";
export {
  emptyMailIndex,
  joinMailIndexes,
  type MailFacts,
  type MailIndex,
  maxMails,
  reduceMailIndex,
} from "./mail/mail-index.ts";
export { reduceRemoteMember, withRemoteMember, remoteMembers } from "./app/remote-members.ts";
export {
  acceptEditsChoice,
  type Choice,
  choicesOf,
  isBroad,
  requestText,
  withComment,
  withRelativePaths,
} from "./questions/permission-choices.ts";
export { questionText } from "./questions/question-text.ts";
export { type Asker, askerOf, currentQuestion, waitingQuestionCount } from "./questions/open-questions.ts";
export { isLive, reduce, reduceAll } from "./session/reduce.ts";
export {
  viewSelectedTeammate,
  selectCoordinatorTask,
  selectTeammate,
  stopSelecting,
  toggleTasks,
} from "./app/selection.ts";
export {
  agentOf,
  type BackgroundView,
  cursorOf,
  emptyView,
  leadOf,
  type Notice,
  type Question,
  type SessionView,
} from "./session/session-view.ts";
export { createStore, type Store } from "./store.ts";
export {
  type AgentRow,
  isAgentRow,
  isFinished,
  isTeammateRow,
  type SubagentRow,
  type ShellRow,
  type ActivityRow,
  type TeammateRow,
} from "./activity/activity-row.ts";
export { areTasksShown, type TaskBoard, taskBoard, type TaskBoardRow } from "./app/task-board.ts";
export { evictionGraceMs } from "./activity/build-activity-row.ts";
export { type Self, teamContextOf } from "./app/team-context.ts";
export { agentRows, teamTree, type TeamTreeRow } from "./app/team-tree.ts";
export {
  enterTeammateView,
  exitTeammateView,
  getActiveAgentForInput,
  inputCommand,
  interruptCommand,
  isViewAging,
  refreshView,
  release,
  stopOrDismissAgent,
  transcriptLoaded,
  wantedTranscript,
} from "./app/teammate-view.ts";
export type { MemberView } from "./session/team-view.ts";
export {
  emptyTimeline,
  laneSpans,
  reduceTimeline,
  stoppedSpan,
  stoppedSpans,
  type Timeline,
  timelinePeriod,
} from "./timeline/timeline.ts";
export { criticalPath, type PathMessage, type PathStep } from "./timeline/critical-path.ts";
export { type MarkKind, maxMarks, type TimelineMark } from "./timeline/timeline-marks.ts";
export type { Lane } from "./timeline/timeline-lane.ts";
export { type ClosedSpan, maxSpans, type Period, type SpanKind } from "./timeline/timeline-spans.ts";
export { sessionSpending, type Spending, tokensOf, type Totals } from "./session/spending.ts";
export {
  edgeKey,
  emptyMessageFlow,
  joinMessageFlows,
  memberKey,
  maxEdges,
  maxMessages,
  type Message,
  messageCount,
  reduceMessageFlow,
  type MessageFlow,
} from "./mail/message-flow.ts";
export {
  type CallItem,
  type CallResult,
  type CallView,
  isWithoutPrompt,
  type PromptItem,
  type TranscriptItem,
} from "./transcript/transcript-item.ts";
export { type CallGroup, groupAt, groupKind, groupText } from "./transcript/call-groups.ts";
export { callNote, callTitle, relativePaths } from "./transcript/call-text.ts";
export { mailIn, notificationText, partsForPeople } from "./transcript/prompt-text.ts";
export { transcriptMarkdown } from "./transcript/transcript-markdown.ts";
export { visibleLine, visibleText } from "../protocol/index.ts";
