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

/** A running or finished agent or command of this session, as a face keeps it: a row, and what is known for drawing it. */
export type ActivityRow = SubagentRow | TeammateRow | ShellRow;

/** Those with a transcript that can be looked at. */
export type AgentRow = SubagentRow | TeammateRow;

export type ActivityStatus = "pending" | "running" | "completed" | "failed" | "killed";

interface RowBase {
  /** An agent's id, `name@team` of a member, or the id of a background task. */
  readonly id: string;
  readonly status: ActivityStatus;
  readonly description: string;
  /** Milliseconds since 1970, as all times here. */
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly outputFile: string | undefined;
  /** How much of its output was seen live, in characters. */
  readonly outputOffset: number;
  /** Whoever started it knows that it has ended. */
  readonly notified: boolean;
  /** Its row is not shown from then on. 0: at once. */
  readonly evictAfter: number | undefined;
  readonly error: string | undefined;
  /** What stops it; undefined where nothing can. */
  readonly abort: Command | undefined;
}

interface AgentRowBase extends RowBase {
  /** What people call it; see `visibleLine` before it is drawn. */
  readonly name: string;
  readonly agentType: string | undefined;
  readonly model: string | undefined;
  readonly color: string | undefined;
  /** Where in `AppState.session` it is; undefined of a member in another process, whose events do not come here. */
  readonly agent: AgentId | undefined;
  readonly progress: ActivityProgress;
  /** Only while it is retained and its transcript is loaded: nobody else's is kept. */
  readonly messages: ChunkedList<TranscriptItem> | undefined;
  /** Somebody looks at it. */
  readonly retain: boolean;
  /** `messages` begin with what is stored. */
  readonly diskLoaded: boolean;
  /** What came while its transcript was being read. */
  readonly streamed: readonly Envelope[];
  readonly isIdle: boolean;
  /** It waits for somebody's permission, since then. */
  readonly waitingSince: number | undefined;
  /** How long it has waited for permissions before. */
  readonly permissionWaitMs: number;
}

export interface ActivityProgress {
  readonly toolCalls: number;
  readonly tokens: number;
  /** The beginning of its last words. */
  readonly lastMessage: string;
  /** What it is doing, in a small model's line or its own word. */
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
  /** Its process is there and has given no sign for longer than it may. */
  readonly isSilent: boolean;
  /** What is heard from another process: its agent without what it has said before. */
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
