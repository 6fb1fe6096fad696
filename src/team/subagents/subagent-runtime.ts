import type { Agent, AgentReport, AskSideQuestion, Conversation } from "../../agent/index.ts";
import type {
  AgentDefinition,
  AgentId,
  AgentPath,
  Envelope,
  PermissionMode,
  StoredEnvelope,
  StoredEvent,
} from "../../protocol/index.ts";

/** One sub-agent ready to work, as the session has seated it. */
export interface SubagentRuntime {
  readonly agent: Agent;
  readonly conversation: Conversation;
  /** Its log as it was when it was seated. */
  readonly replayed: readonly StoredEnvelope[];
  /** It is at work already, since an earlier life of the session: what its log holds belongs to what it does now. */
  readonly isAtWork?: boolean | undefined;
  /** It goes on elsewhere, and nothing more is heard of it here. */
  readonly continuesRemotely?: (() => boolean) | undefined;
  /** Definition entries that gave no tool, and other things the parent should hear. */
  readonly notices: readonly string[];
  /** Writes down how it begins. Only for one that is new. */
  begin(spawned: Spawned, inherited?: { readonly from: AgentId; readonly turn: number }): Promise<void>;
  /** Only for one that is known from its log: settles what an earlier life of the session has left open. */
  resume(): Promise<void>;
  /** Stops commands it has left running: nobody will hear of them once it has reported. */
  stopLeftovers(): Promise<void>;
  /** Asks a small model something beside its work; undefined where none is known. */
  readonly askSideQuestion?: AskSideQuestion | undefined;
  /** Resolves when nothing of its runs any more that nobody waits for. */
  settled(): Promise<void>;
  /** Stops everything and closes its log. */
  close(): Promise<void>;
}

/** One that has been put away, seated again from its log. */
export interface ReopenedRuntime {
  readonly runtime: SubagentRuntime;
  /** What becomes of its worktree when it has nothing left to do. */
  readonly finishWorktree?: (() => Promise<AgentReport["worktree"]>) | undefined;
}

export type Spawned = Omit<Extract<StoredEvent, { type: "agent.spawned" }>, "type">;

/** What the session must know to seat a sub-agent. */
export interface RuntimeRequest {
  readonly agentId: AgentId;
  readonly parent: AgentId;
  readonly path: AgentPath;
  readonly definition: AgentDefinition;
  readonly kind: "foreground" | "background";
  /** A fork has its parent's exact tools; anybody else what the definition gives. */
  readonly fork: boolean;
  /** The concrete model. */
  readonly model: string;
  readonly mode: PermissionMode;
  readonly cwd: string;
  /** On top of the session's environment for commands. */
  readonly env: Readonly<Record<string, string>>;
  /** `cwd` is a worktree made for it: its own folder to work in. Otherwise it works in its parent's folders. */
  readonly isolated: boolean;
  /** The user has it do something in `cwd`: that and `mode` are as said, whatever its log or its parent say. */
  readonly delegated?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Hears everything that happens to it, in order. */
  onEnvelope(envelope: Envelope): void;
}

/** Seats a sub-agent, new or from its log. Rejects with a TroupeError that a model can read. */
export type OpenSubagentRuntime = (request: RuntimeRequest) => Promise<SubagentRuntime>;
