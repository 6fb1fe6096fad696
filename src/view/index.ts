export { type Activity, activityOf, type AgentStatus, type AgentView, type Draft } from "./agent-view.ts";
export { answerText } from "./answer-of.ts";
export { addNotice, closeDialog, openDialog } from "./app-dialog.ts";
export { catchUp, createAppState, nextTick, applyEnvelope, visibleRows, tick } from "./app-fold.ts";
export type { AppNotice, AppState, Dialog } from "./app-state.ts";
export { append, type ChunkedList, emptyList, itemAt, itemsOf, replaceAt, toArray } from "./chunked-list.ts";
export {
  addCosts,
  cachedShare,
  costByModel,
  type CostReport,
  costReport,
  type CostSum,
  totalCost,
} from "./cost-report.ts";
export {
  type CostCell,
  type CostSeries,
  emptyCostSeries,
  joinCostSeries,
  maxBuckets,
  maxSeries,
  reduceCostSeries,
} from "./cost-series.ts";
export { costSums, costTable } from "./cost-table.ts";
export { type ElicitField, elicitFieldsOf, parseFieldValue, isElicitation } from "./elicit-fields.ts";
export { foldTranscript, dropTranscript, isTranscriptEvent, restoreTranscript } from "./forget-transcript.ts";
export { valueAt, valuesOf } from "./keyed-list.ts";
export {
  emptyMailIndex,
  joinMailIndexes,
  type MailFacts,
  type MailIndex,
  maxMails,
  reduceMailIndex,
} from "./mail-flow.ts";
export { reduceRemoteMember, withRemoteMember, remoteMembers } from "./member-heard.ts";
export { type Choice, choicesOf, requestText, withComment } from "./permission-choices.ts";
export { type Asker, askerOf, currentQuestion, waitingQuestionCount } from "./questions.ts";
export { isLive, reduce, reduceAll } from "./reduce.ts";
export {
  viewSelectedTeammate,
  selectCoordinatorTask,
  selectTeammate,
  stopSelecting,
  toggleExpanded,
} from "./selection.ts";
export {
  agentOf,
  type BackgroundView,
  cursorOf,
  emptyView,
  leadOf,
  type Notice,
  type Question,
  type SessionView,
} from "./session-view.ts";
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
} from "./task-state.ts";
export { type TaskBoard, taskBoard, type TaskBoardRow } from "./task-board.ts";
export { evictionGraceMs } from "./task-of.ts";
export { type Self, teamContextOf } from "./team-context.ts";
export { agentRows, teamTree, type TeamTreeRow } from "./team-tree.ts";
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
} from "./teammate-view.ts";
export type { MemberView } from "./team-view.ts";
export { emptyTimeline, laneSpans, reduceTimeline, type Timeline, timelinePeriod } from "./timeline.ts";
export type { Lane } from "./timeline-lane.ts";
export { type ClosedSpan, maxSpans, type Period, type SpanKind } from "./timeline-spans.ts";
export { sessionSpending, type Spending, tokensOf, type Totals } from "./totals.ts";
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
} from "./traffic.ts";
export type { CallItem, CallResult, CallView, PromptItem, TranscriptItem } from "./transcript-item.ts";
export { transcriptMarkdown } from "./transcript-markdown.ts";
export { visibleLine, visibleText } from "../protocol/index.ts";
