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

/** A subagent's runtime with the worktree that was opened for it. */
export interface OpenedRuntime {
  readonly runtime: SubagentRuntime;
  readonly worktree?: Isolation | undefined;
  /** Keeps or removes its worktree, or imports its commits, when it has nothing left to do. */
  readonly finishWorktree?: (() => Promise<AgentReport["worktree"]>) | undefined;
}

/** A worktree made for an agent. */
export interface Isolation {
  readonly path: string;
  /** Empty if it is on no branch. */
  readonly branch: string;
  /** A hook made it, so Troupe does not remove it. */
  readonly hookMade?: true | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** For its agent. */
  readonly facts: WorktreeFacts;
  readonly notices: readonly string[];
  finish(): Promise<AgentReport["worktree"]>;
}

/** A worktree as recorded in an agent's log. */
export type LoggedWorktree = NonNullable<Spawned["worktree"]>;

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
  /** The user delegated work in `cwd`, its only folder. Then `cwd` and `mode` win over its log and its parent. */
  readonly delegated?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives all its events in order. */
  onEnvelope(envelope: Envelope): void;
}

/** Where the runtime of a subagent comes from. */
export type RuntimeSource =
  /** It is new. With a label it gets a worktree, its only folder. Otherwise it works in its parent's folders. */
  | { readonly kind: "new"; readonly worktreeLabel?: string | undefined }
  /** Its log, from this or a previous run of the session. A worktree that is gone is made again. */
  | { readonly kind: "log"; readonly worktree?: LoggedWorktree | undefined }
  /** A worker on another machine runs it. A previous run of the session may have submitted its job. */
  | { readonly kind: "remote"; readonly isSubmitted: boolean };

/** Opens the runtimes of subagents. */
export interface RuntimeFactory {
  /** True if workers on other machines can run subagents. */
  readonly hasWorkers: boolean;
  /** Rejects with a TroupeError that a model can read. */
  open(request: RuntimeRequest, source: RuntimeSource): Promise<OpenedRuntime>;
  /** The logs of all subagents of the session. */
  readLogs(): Promise<ReadonlyMap<AgentId, readonly StoredEnvelope[]>>;
}
