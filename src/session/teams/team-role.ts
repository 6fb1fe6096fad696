import type { Agent, OngoingTeam } from "../../agent/index.ts";
import type { Ack, Envelope, SessionId, StoredEnvelope } from "../../protocol/index.ts";
import type { TeammateStarter } from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { TeamCommand } from "../dispatch.ts";
import type { AgentRuntime, SessionResources } from "../agent-runtime/agent-runtime.ts";
import type { RunningWork } from "../agent-runtime/background-work.ts";
import type { SessionSubagents } from "../subagents/subagents.ts";

/** How a session takes part in teams: as the lead of some, or as a member of one. */
export interface TeamRole {
  /** For the agent that the session is about; the list never changes. */
  readonly tools: readonly Tool[];
  /** Undefined: it starts no teammates. */
  readonly starter?: TeammateStarter | undefined;
  /** To be told everything that agent stores. */
  observe(envelope: Envelope): void;
  /** Once the session is open: joins, takes up what an earlier life has left. */
  start(): Promise<void>;
  dispatch(command: TeamCommand): Promise<Ack>;
  /** Members at work: the session is not done while they are. */
  running(): readonly RunningWork[];
  /** What no summary of the conversation may lose. */
  ongoingWork(): Promise<readonly OngoingTeam[]>;
  close(): Promise<void>;
}

/** What a session gives to whoever connects it to teams. */
export interface TeamPorts {
  readonly sessionId: SessionId;
  readonly agent: () => Agent;
  readonly runtime: () => AgentRuntime;
  readonly shared: SessionResources;
  readonly subagents: SessionSubagents | undefined;
  /** What was stored before this life. */
  readonly replayed: readonly StoredEnvelope[];
  readonly tools: () => readonly Tool[];
}
