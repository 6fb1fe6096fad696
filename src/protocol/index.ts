export { AgentColor, type AgentDefinition, AgentFrontmatter, type AgentSource } from "./agent-definition.ts";
export { Command, type Ack } from "./command.ts";
export {
  Cursor,
  LandingReport,
  MailListing,
  MailReading,
  PostedCommand,
  PostedLanding,
  SessionListing,
  SessionSummary,
  type WaitingQuestion,
  WorktreeListing,
} from "./dashboard.ts";
export { Envelope, protocolVersion, StoredEnvelope } from "./envelope.ts";
export { messageOf, TroupeError, type TroupeErrorCode } from "./error.ts";
export { Event, isTeamEvent, LiveEvent, StoredEvent } from "./event.ts";
export {
  AgentId,
  AgentPath,
  BackgroundId,
  CallId,
  EventId,
  leadPath,
  MailId,
  PromptId,
  RequestId,
  SessionId,
} from "./ids.ts";
export { Mail, MailBody, type MailKind, MailState, workMailKinds } from "./mail.ts";
export {
  AnswerPart,
  AssistantMessage,
  ContentPart,
  Message,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from "./message.ts";
export {
  addUsage,
  ModelAnswer,
  type ModelCaller,
  type ModelClient,
  type ModelEvent,
  Effort,
  ModelFailure,
  type ModelRequest,
  StopReason,
  type Thinking,
  type ToolSpec,
  Usage,
} from "./model.ts";
export { isDeeperThan } from "./json-depth.ts";
export { nearestName } from "./nearest-name.ts";
export { parseJson } from "./parse-json.ts";
export {
  type CommandPlace,
  PermissionAnswer,
  type PermissionDecision,
  PermissionMode,
  permissionQuestion,
  questionFields,
  type Refusal,
  type RefusalHint,
  Surroundings,
  type ChangePatch,
} from "./permission.ts";
export { permissionModes } from "./permission-modes.ts";
export { LibraryOptions, pickOptions, SessionOptions } from "./session-options.ts";
export {
  BusSettings,
  ClaudeSettings,
  LandSettings,
  LimitSettings,
  Settings,
  TeamSettings,
  TelemetrySettings,
  WatchdogSettings,
  WorktreeSettings,
} from "./settings.ts";
export { KnownFile, ToolDisplay, ToolOutcome, ToolOutcomeKind } from "./tool.ts";
export {
  AllowedPath,
  BackendType,
  isExternal,
  jobWaitDetail,
  jobWaitOf,
  LaunchFlags,
  Member,
  MemberState,
  MemberStatus,
  Reservation,
  Team,
  teamLead,
  teamUser,
  TmuxPane,
} from "./team.ts";
export { cut, cutAfter, oneLine, withoutStop } from "./text.ts";
export { visibleLine, visibleText } from "./visible-text.ts";
export {
  AcceptanceCheck,
  keptOwner,
  returnedBy,
  isOpenTask,
  openBlockers,
  openBlockersOf,
  OwnerWords,
  PastOwner,
  WorkItem,
  WorkItemId,
  WorkItemStatus,
} from "./work-item.ts";
