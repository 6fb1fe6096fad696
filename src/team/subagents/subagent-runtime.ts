import type { Agent, AgentReport, AskSideQuestion, Conversation, WorktreeFacts } from "../../agent/index.ts";
import type {
  AgentDefinition,
  AgentId,
  AgentPath,
  Envelope,
  PermissionMode,
  StoredEnvelope,
  StoredEvent,
} from "../../protocol/index.ts";

/** A subagent that is ready to run. */
export interface SubagentRuntime {
  readonly agent: Agent;
  readonly conversation: Conversation;
  /** Its log when the runtime was opened. */
  readonly replayed: readonly StoredEnvelope[];
  /** It has been running since a previous run of the session, so the events in its log belong to the current work. */
  readonly isAtWork?: boolean | undefined;
  /** True if it continues on another machine and reports nothing here. */
  readonly continuesRemotely?: (() => boolean) | undefined;
  /** Tools that its definition names but that do not exist, and other notices for the parent. */
  readonly notices: readonly string[];
  /** Records its start. Only for a new subagent. */
  begin(spawned: Spawned, inherited?: { readonly from: AgentId; readonly turn: number }): Promise<void>;
  /** Settles what a previous run of the session left open. Only for a subagent opened from its log. */
  resume(): Promise<void>;
  /** Stops the commands it left running, because it can no longer report their results. */
  stopLeftovers(): Promise<void>;
  /** Asks a small model a side question. Undefined if none is configured. */
  readonly askSideQuestion?: AskSideQuestion | undefined;
  /** Resolves when its background work has ended. */
  settled(): Promise<void>;
  /** Stops everything and closes its log. */
  close(): Promise<void>;
}

/** An evicted subagent, opened again from its log. */
export interface ReopenedRuntime {
  readonly runtime: SubagentRuntime;
  /** Keeps or removes its worktree when it has nothing left to do. */
  readonly finishWorktree?: (() => Promise<AgentReport["worktree"]>) | undefined;
}

export type Spawned = Omit<Extract<StoredEvent, { type: "agent.spawned" }>, "type">;

/** The input for opening a subagent's runtime. */
export interface RuntimeRequest {
  readonly agentId: AgentId;
  readonly parent: AgentId;
  readonly path: AgentPath;
  readonly definition: AgentDefinition;
  readonly kind: "foreground" | "background";
  /** A fork has its parent's exact tools; other subagents have the tools of their definition. */
  readonly fork: boolean;
  /** The resolved model. */
  readonly model: string;
  readonly mode: PermissionMode;
  readonly cwd: string;
  /** Added to the session's environment for commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Set if `cwd` is a worktree made for it, its only folder. Otherwise it works in its parent's folders. */
  readonly worktree?: WorktreeFacts | undefined;
  /** The user delegated work in `cwd`, its only folder. Then `cwd` and `mode` win over its log and its parent. */
  readonly delegated?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives all its events in order. */
  onEnvelope(envelope: Envelope): void;
}

/** The part of a request that a subagent's log decides when the subagent is resumed. */
export const requestFromLog = (agentId: AgentId, spawned: Omit<Spawned, "parent"> & { readonly parent: AgentId }) => ({
  agentId,
  parent: spawned.parent,
  path: spawned.path,
  kind: "background" as const,
  model: spawned.model,
  mode: spawned.permissionMode,
});

/** Opens a subagent's runtime, new or from its log. Rejects with a TroupeError that a model can read. */
export type OpenSubagentRuntime = (request: RuntimeRequest) => Promise<SubagentRuntime>;
