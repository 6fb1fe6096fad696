import type { Clock, CreateId } from "../platform/index.ts";
import type { AgentId, SessionId, StoredEnvelope } from "../protocol/index.ts";
import type { EventLog } from "./event-log.ts";
import type { RepairReport } from "./repair-log.ts";

export interface SessionStore {
  /** Creates no files before the first record, so a refused start leaves nothing behind. */
  create(input: { readonly sessionId: SessionId; readonly cwd: string }): Promise<OpenedSession>;
  /** True if the session exists, in any state. Does not read other sessions. */
  has(sessionId: SessionId): Promise<boolean>;
  /** Works from any folder. Rejects with `session_not_found`, `session_busy`, `session_damaged` or `session_newer`. */
  open(sessionId: string): Promise<OpenedSession>;
  /** Newest first. Reads only the start and end of each log. */
  list(): Promise<SessionSummary[]>;
  /**
   * Returns the newest session that was started in this folder, except these. Never a teammate's: its lead's session
   * resumes it. Never one in which nothing happened, if there is another.
   */
  latest(cwd: string, except?: ReadonlySet<string>): Promise<SessionSummary | undefined>;
  /** Reads without claiming, so it also works for a session in use. */
  read(sessionId: string): Promise<SessionReading>;
  /** The same for all agents except the lead. */
  readAgents(sessionId: string): Promise<SessionReading["agents"]>;
  /**
   * Returns the wanted events of one agent's log, by default the lead's. Rejects with `session_not_found` if there is
   * no such log.
   */
  readLog(sessionId: string, wanted: WantedEvents): Promise<readonly StoredEnvelope[]>;
  /** Returns the path of the session's own task list, for readers and for additions by other processes. */
  taskListFile(sessionId: string): Promise<string>;
  /** Removes a session in which nothing happened: no prompt, no turn, no team. Returns false if it is kept. */
  removeIfEmpty(sessionId: SessionId): Promise<boolean>;
  /** Returns the folder of the session's checkpoints, which may not exist. */
  checkpointFolder(sessionId: string): Promise<string>;
  /** Makes a damaged session usable without the damaged part. The originals are kept next to it. */
  repair(sessionId: string): Promise<RepairReport[]>;
}

/** A session that only this process writes, until `close`. */
export interface OpenedSession {
  readonly sessionId: SessionId;
  readonly cwd: string;
  readonly leadLog: EventLog;
  /** Returns the same log for the same agent. Reads it from disk if the agent already exists. */
  agentLog(agentId: AgentId): Promise<EventLog>;
  /**
   * Stores output that is too large for a conversation. Returns the absolute path. Never overwrites an earlier output.
   */
  saveOutput(name: string, data: string | Uint8Array): Promise<string>;
  /** The file for a background job's output. Its folder exists; the file may not. */
  taskOutputFile(id: string): string;
  /** The path of the session's own task list. It does not exist before the first task. */
  readonly taskListFile: string;
  /** The folder of the session's checkpoints. */
  checkpointFolder(): Promise<string>;
  /** The real paths of all these folders: an agent of this session may read them without permission. */
  ownFolders(): readonly string[];
  /** The session's own folder for temporary files. */
  scratchFolder(): Promise<string>;
  /** The real path of the folder that the session's agents share. Rejects if something else is in its place. */
  scratchpadFolder(): Promise<string>;
  /** Repairs, for the user. Grows as agents' logs are opened. */
  readonly notices: readonly string[];
  /** Closes the logs and releases the session. */
  close(): Promise<void>;
}

export interface SessionSummary {
  readonly sessionId: SessionId;
  /** Empty if the readable part of the log does not name it. */
  readonly cwd: string;
  readonly project: string;
  readonly file: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** One line, truncated. */
  readonly firstPrompt?: string;
  /** The name that the user gave it, as far as the ends of the log show. */
  readonly name?: string;
  readonly model?: string;
  readonly turns?: number;
  /** The last team that its agent joined and its role there, as far as the ends of the log show. */
  readonly team?: { readonly name: string; readonly role: "lead" | "teammate"; readonly member: string };
  /** The reason why the session will not open. Some problems show only when the whole log is read. */
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
