import { type CreateSessionOptions, createSession as create, type LibrarySession } from "./session/index.ts";

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
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  type PermissionAnswer,
  type PermissionMode,
  protocolVersion,
  SessionId,
  TroupeError,
} from "./protocol/index.ts";
export type { CreateSessionOptions, LibrarySession, PermissionAsker, Reply } from "./session/index.ts";
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

/** Starts or resumes a session from code: the same session that the command line drives. */
export function createSession(options: CreateSessionOptions = {}): Promise<LibrarySession> {
  return create({ ...options, cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env });
}
