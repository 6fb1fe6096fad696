import type { Clock, CreateId } from "../platform/index.ts";
import type { AgentId, SessionId, StoredEnvelope } from "../protocol/index.ts";
import type { EventLog } from "./event-log.ts";
import type { RepairReport } from "./repair-log.ts";

/** The sessions of one home folder. */
export interface SessionStore {
  /** Leaves no trace before the first record: a start that is refused is as if it had never been. */
  create(input: { readonly sessionId: SessionId; readonly cwd: string }): Promise<OpenedSession>;
  /** Whether there is such a session, whatever it is like. Looks for nothing else, however many there are. */
  has(sessionId: SessionId): Promise<boolean>;
  /** From any working directory. Rejects with `session_not_found`, `session_busy`, `session_damaged` or `session_newer`. */
  open(sessionId: string): Promise<OpenedSession>;
  /** Newest first. Reads the ends of the logs only. */
  list(): Promise<SessionSummary[]>;
  /** The newest session that was started in this folder; never a teammate's, whom its lead's session brings back. */
  latest(cwd: string): Promise<SessionSummary | undefined>;
  /** Without claiming it: a session in use can be read too. */
  read(sessionId: string): Promise<SessionReading>;
  /** The same for all agents but the lead. */
  readAgents(sessionId: string): Promise<SessionReading["agents"]>;
  /** Of one agent's log the events that are wanted; without an agent the lead's. Rejects with `session_not_found` where there is no such log. */
  readLog(sessionId: string, wanted: WantedEvents): Promise<readonly StoredEnvelope[]>;
  /** Where the session's own task list is; for who only looks at it, or adds to it from outside. */
  taskListFile(sessionId: string): Promise<string>;
  /** Makes a damaged session usable without what is damaged; the originals stay beside it. */
  repair(sessionId: string): Promise<RepairReport[]>;
}

/** A session that this process alone writes, until `close`. */
export interface OpenedSession {
  readonly sessionId: SessionId;
  readonly cwd: string;
  readonly leadLog: EventLog;
  /** The same log for the same agent; read from disk if the agent was there before. */
  agentLog(agentId: AgentId): Promise<EventLog>;
  /** Keeps what is too large for a conversation. Gives the absolute path; an earlier output is never overwritten. */
  saveOutput(name: string, data: string | Uint8Array): Promise<string>;
  /** The file for a background task's output; its folder exists, the file may not. */
  taskOutputFile(id: string): string;
  /** Where the session's own task list is kept; nothing is there before the first task. */
  readonly taskListFile: string;
  /** Where all of the above is, as real paths: what an agent of this session may read without asking. */
  ownFolders(): readonly string[];
  /** A folder of the session's own for whatever passes. */
  scratchFolder(): Promise<string>;
  /** The folder that the session's agents share, real. Rejects where something else stands in its place. */
  scratchpadFolder(): Promise<string>;
  /** What had to be put right, for the user. Grows as agents' logs are opened. */
  readonly notices: readonly string[];
  /** Closes the logs and lets others open the session. */
  close(): Promise<void>;
}

export interface SessionSummary {
  readonly sessionId: SessionId;
  /** Empty if the log's readable part does not say. */
  readonly cwd: string;
  readonly project: string;
  readonly file: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** One line, cut. */
  readonly firstPrompt?: string;
  readonly model?: string;
  readonly turns?: number;
  /** The team that its agent has joined last, as far as the ends of the log say, and who it is there. */
  readonly team?: { readonly name: string; readonly role: "lead" | "teammate"; readonly member: string };
  /** Why this one will not open as it is. Not everything is known without reading it whole. */
  readonly problem?: string;
}

export interface WantedEvents {
  readonly agent?: AgentId | undefined;
  readonly only: (type: string) => boolean;
}

export interface SessionReading {
  readonly lead: StoredEnvelope[];
  readonly agents: Map<AgentId, StoredEnvelope[]>;
}

export interface SessionStoreOptions {
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
}
