export { type Activity, activityOf, type AgentStatus, type AgentView, type Draft } from "./agent-view.ts";
export { answerText } from "./answer-of.ts";
export { addNotice, closeDialog, openDialog } from "./app-dialog.ts";
export { catchUp, createAppState, nextTick, onEnvelope, shownTasks, tick } from "./app-fold.ts";
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
export { type Field, fieldsOf, filledValue, isElicitation } from "./elicit-fields.ts";
export { foldTranscript, forgetTranscript, isTranscriptEvent, recallTranscript } from "./forget-transcript.ts";
export { valueAt, valuesOf } from "./keyed-list.ts";
export {
  emptyMailFlow,
  joinMailFlows,
  type MailFacts,
  type MailFlow,
  maxMails,
  reduceMailFlow,
} from "./mail-flow.ts";
export { reduceRemoteMember, withRemoteMember, remoteMembers } from "./member-heard.ts";
export { type Choice, choicesOf, wanted, withWords } from "./permission-choices.ts";
export { type Asker, askerOf, openQuestion, waitingQuestions } from "./questions.ts";
export { isLive, reduce, reduceAll } from "./reduce.ts";
export {
  enterSelected,
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
  type AgentTask,
  isAgentTask,
  isFinished,
  isTeammate,
  type LocalAgentTask,
  type ShellTask,
  type TaskState,
  type TeammateTask,
} from "./task-state.ts";
export { type TaskBoard, taskBoard, type TaskBoardRow } from "./task-board.ts";
export { graceMs } from "./task-of.ts";
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
  maxPassages,
  type Message,
  messageCount,
  reduceMessageFlow,
  type MessageFlow,
} from "./traffic.ts";
export type { CallItem, CallResult, CallView, PromptItem, TranscriptItem } from "./transcript-item.ts";
export { transcriptMarkdown } from "./transcript-markdown.ts";
export { visibleLine, visibleText } from "../protocol/index.ts";
