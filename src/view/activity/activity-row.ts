import type {
  AgentId,
  AgentPath,
  BackgroundId,
  BackendType,
  Command,
  Envelope,
  MemberState,
  SessionId,
} from "../../protocol/index.ts";
import type { AgentView } from "../session/agent-view.ts";
import type { ChunkedList } from "../lists/chunked-list.ts";
import type { TranscriptItem } from "../transcript/transcript-item.ts";

/** A running or finished agent or command of this session, as a row of a frontend with the data to draw it. */
export type ActivityRow = SubagentRow | TeammateRow | ShellRow;

/** Rows with a transcript. */
export type AgentRow = SubagentRow | TeammateRow;

export type ActivityStatus = "pending" | "running" | "completed" | "failed" | "killed";

interface RowBase {
  /** An agent's id, `name@team` for a member, or the id of a background job. */
  readonly id: string;
  readonly status: ActivityStatus;
  readonly description: string;
  /** Milliseconds since 1970, as all times here. */
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly outputFile: string | undefined;
  /** Characters of its output that were seen live. */
  readonly outputOffset: number;
  /** True if its starter knows that it has ended. */
  readonly notified: boolean;
  /** The row is hidden from this time on. 0: at once. */
  readonly evictAfter: number | undefined;
  readonly error: string | undefined;
  /** The command that stops it; undefined if it cannot be stopped. */
  readonly abort: Command | undefined;
}

interface AgentRowBase extends RowBase {
  /** Its display name; apply `visibleLine` before drawing it. */
  readonly name: string;
  readonly agentType: string | undefined;
  readonly model: string | undefined;
  readonly color: string | undefined;
  /** Its agent in `AppState.session`; undefined for a member in another process, whose events do not arrive here. */
  readonly agent: AgentId | undefined;
  readonly progress: ActivityProgress;
  /** Set only while the row is retained and its transcript is loaded. */
  readonly messages: ChunkedList<TranscriptItem> | undefined;
  /** True while it is in view. */
  readonly retain: boolean;
  /** True if `messages` begins with the stored transcript. */
  readonly diskLoaded: boolean;
  /** Events that arrived while its transcript was being loaded. */
  readonly streamed: readonly Envelope[];
  readonly isIdle: boolean;
  /** Waits for a permission since this time. */
  readonly waitingSince: number | undefined;
  /** Total of earlier waits for permissions. */
  readonly permissionWaitMs: number;
}

export interface ActivityProgress {
  readonly toolCalls: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** The beginning of its last message. */
  readonly lastMessage: string;
  /** Its current activity: a small model's line or its own text. */
  readonly summary: string | undefined;
}

export interface SubagentRow extends AgentRowBase {
  readonly type: "local_agent";
  readonly agent: AgentId;
  readonly path: AgentPath;
  readonly parent: AgentId | undefined;
  readonly isBackgrounded: boolean;
  readonly backgroundId: BackgroundId | undefined;
}

/** `in_process_teammate` runs here, `remote_agent` in a pane or on another machine. */
export interface TeammateRow extends AgentRowBase {
  readonly type: "in_process_teammate" | "remote_agent";
  readonly team: string;
  readonly sessionId: SessionId | undefined;
  readonly backendType: BackendType | undefined;
  readonly state: MemberState;
  readonly unread: number;
  /** Its process is alive but has sent no sign for longer than allowed. */
  readonly isSilent: boolean;
  /** The agent as received from another process, without its transcript. */
  readonly remoteAgent: AgentView | undefined;
}

export interface ShellRow extends RowBase {
  readonly type: "local_bash";
  readonly backgroundId: BackgroundId;
  readonly agent: AgentId;
  readonly exitCode: number | null;
  readonly outputTail: string;
}

export const isFinished = ({ status }: ActivityRow): boolean => status !== "pending" && status !== "running";

export const isAgentRow = (task: ActivityRow): task is AgentRow => task.type !== "local_bash";

export const isTeammateRow = (task: ActivityRow): task is TeammateRow =>
  task.type === "in_process_teammate" || task.type === "remote_agent";
