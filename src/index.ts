import {
  type CreateSessionOptions,
  createSession as create,
  createTeam as makeTeam,
  type LibrarySession,
  type LibraryTeam,
  type NewTeamOptions,
  openTeam as open,
  type TeamOptions,
} from "./session/index.ts";

/** The zod that tools and `outputSchema` need: `import { z } from "troupe"`. */
export * as z from "zod";
export {
  createConversation,
  createLedger,
  createPermissions,
  type Permissions,
  type RunAgentOptions,
  type RunOutcome,
  runAgent,
} from "./agent/index.ts";
export { currentProcess, identifyProcess, type ProcessIdentity } from "./platform/index.ts";
export {
  type Ack,
  AgentId,
  AgentPath,
  CallId,
  Command,
  type ContentPart,
  Envelope,
  Event,
  type Mail,
  type MailId,
  type Member,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  type PermissionAnswer,
  type PermissionMode,
  protocolVersion,
  SessionId,
  type Team,
  TroupeError,
  type Usage,
  type WorkItem,
} from "./protocol/index.ts";
export type {
  AgentFields,
  AskOptions,
  CreateSessionOptions,
  DeniedCall,
  DiffRequest,
  FunctionHooks,
  HookFunction,
  LibrarySession,
  LibraryTeam,
  MatchedHook,
  NewTeamOptions,
  PermissionAsker,
  Reply,
  RewindPoint,
  TeamOptions,
} from "./session/index.ts";
export type {
  MemberPatch,
  NewMember,
  NewTask,
  TaskActor,
  TaskAnswer,
  TaskChange,
  TaskClaimer,
  TaskList,
  TaskPatch,
  TeamPatch,
  TeamRecord,
} from "./store/index.ts";
export type { BroadcastReport, Mailbox, OpenTeam, OutgoingMail, ReceivedMail } from "./team/index.ts";
export {
  defineTool,
  failedResult,
  textResult,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from "./tool/index.ts";
export {
  type Activity,
  agentOf,
  type AgentStatus,
  type AgentView,
  type BackgroundView,
  type CallItem,
  type CallResult,
  type CallView,
  type ChunkedList,
  type Draft,
  emptyView,
  itemAt,
  itemsOf,
  leadOf,
  type Notice,
  type PromptItem,
  type Question,
  reduce,
  type SessionView,
  type Spending,
  toArray,
  type Totals,
  type TranscriptItem,
} from "./view/index.ts";

/**
 * Creates a team in the files that agents use. Any program can send mail, share tasks and add members. A taken name
 * gets a number.
 */
export function createTeam(name: string, options: NewTeamOptions = {}): Promise<LibraryTeam> {
  return makeTeam(name, { ...options, cwd: process.cwd(), env: options.env ?? process.env });
}

/** Opens an existing team. Rejects with a `TroupeError` of code `team` if the team does not exist. */
export function openTeam(name: string, options: TeamOptions = {}): Promise<LibraryTeam> {
  return open(name, { ...options, env: options.env ?? process.env });
}

/** Starts or resumes a session from code. It is the same kind of session that the command line runs. */
export function createSession<Output = unknown>(
  options: CreateSessionOptions<Output> = {},
): Promise<LibrarySession<Output>> {
  return create({ ...options, cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env });
}
