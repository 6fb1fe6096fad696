import {
  type CreateSessionOptions,
  createSession as create,
  createTeam as makeTeam,
  type LibrarySession,
  type NewTeamOptions,
  openTeam as open,
  type TeamOptions,
} from "./session/index.ts";
import type { OpenTeam } from "./team/index.ts";

export {
  createConversation,
  createLedger,
  createPermissions,
  type Permissions,
  type RunAgentOptions,
  type RunOutcome,
  runAgent,
} from "./agent/index.ts";
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
  type WorkItem,
} from "./protocol/index.ts";
export type {
  CreateSessionOptions,
  LibrarySession,
  NewTeamOptions,
  PermissionAsker,
  Reply,
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
export { defineTool, failedResult, textResult, type Tool, type ToolContext, type ToolResult } from "./tool/index.ts";
export {
  type Activity,
  type AgentStatus,
  type AgentView,
  type BackgroundView,
  type CallItem,
  type CallResult,
  type CallView,
  type Draft,
  emptyView,
  type Notice,
  type PromptItem,
  type Question,
  reduce,
  type SessionView,
  type Spending,
  type Totals,
  type TranscriptItem,
} from "./view/index.ts";

/**
 * Creates a team in the files that agents use. Any program can send mail, share tasks and add members. A taken name
 * gets a number.
 */
export function createTeam(name: string, options: NewTeamOptions = {}): Promise<OpenTeam> {
  return makeTeam(name, { ...options, cwd: process.cwd(), env: options.env ?? process.env });
}

/** Opens an existing team. Rejects with a `TroupeError` of code `team` if the team does not exist. */
export function openTeam(name: string, options: TeamOptions = {}): Promise<OpenTeam> {
  return open(name, { ...options, env: options.env ?? process.env });
}

/** Starts or resumes a session from code. It is the same kind of session that the command line runs. */
export function createSession(options: CreateSessionOptions = {}): Promise<LibrarySession> {
  return create({ ...options, cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env });
}
