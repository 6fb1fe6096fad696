import type { Agent, OngoingTeam } from "../../agent/index.ts";
import type { Ack, Envelope, SessionId, StoredEnvelope } from "../../protocol/index.ts";
import type { TeammateStarter } from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { TeamCommand } from "../dispatch.ts";
import type { AgentRuntime, SessionResources } from "../agent-runtime/agent-runtime.ts";
import type { RunningWork } from "../agent-runtime/background-work.ts";
import type { OpenTeamWork } from "./ongoing-team-work.ts";
import type { SessionSubagents } from "../subagents/subagents.ts";

/** The role of a session in teams: the lead of some, or a member of one. */
export interface TeamRole {
  /** Tools for the session's own agent. The list never changes. */
  readonly tools: readonly Tool[];
  /** Adapts another tool of the session's own agent to the team. The same tool always gives the same result. */
  adaptTool(tool: Tool): Tool;
  /** Undefined if the session cannot start teammates. */
  readonly starter?: TeammateStarter | undefined;
  /** Awaited before each turn of the session's own agent. Settles soon. */
  ready?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Receives all events that the session's own agent stores. */
  observe(envelope: Envelope): void;
  /** Call it when the session is open. Joins its teams and resumes the work of previous runs. */
  start(): Promise<void>;
  dispatch(command: TeamCommand): Promise<Ack>;
  /** Working members. The session is not done while there are any. */
  running(): readonly RunningWork[];
  /** The work that its teams have not finished. Undefined for a teammate. */
  openWork?: (() => Promise<OpenTeamWork>) | undefined;
  /** Facts that a compaction must keep. */
  ongoingWork(): Promise<readonly OngoingTeam[]>;
  close(): Promise<void>;
}

/** The session's interface for its team role. */
export interface TeamPorts {
  readonly sessionId: SessionId;
  readonly agent: Agent;
  readonly runtime: AgentRuntime;
  readonly shared: SessionResources;
  readonly subagents: SessionSubagents | undefined;
  /** Events stored before this run. */
  readonly replayed: readonly StoredEnvelope[];
  readonly tools: () => readonly Tool[];
}
