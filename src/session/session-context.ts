import type { Clock, CreateId } from "../platform/index.ts";
import type { Ledger, PermissionQuestion } from "../agent/index.ts";
import type {
  AgentDefinition,
  AgentId,
  ModelClient,
  PermissionAnswer,
  SessionId,
  StoredEnvelope,
  Usage,
} from "../protocol/index.ts";
import type { OpenedSession } from "../store/index.ts";
import type { AgentSlots, WorktreeEngine } from "../team/index.ts";
import type { RuleSet, Tool } from "../tool/index.ts";
import type { AgentKnowledge } from "./agent-runtime/agent-knowledge.ts";
import type { AgentExtras } from "./agent-types/agent-extras.ts";
import type { AgentPrompts } from "./agent-types/agent-prompts.ts";
import type { Config } from "./config/load-config.ts";
import type { OpenedHooks } from "./hooks/open-hooks.ts";
import type { SessionMcp } from "./mcp/session-mcp.ts";
import type { SessionSocketOpener } from "./observe/lazy-session-socket.ts";
import type { RemoteWork } from "../remote/index.ts";
import type { Role } from "./roles/role.ts";
import type { CommandCatalog } from "./slash-commands/command-catalog.ts";
import type { Telemetry } from "./telemetry/start-telemetry.ts";

/** The validated parts of a session, each the result of one phase of its start. Opening cannot fail on a setting. */
export interface SessionContext {
  readonly config: Config;
  readonly log: SessionLog;
  readonly models: Models;
  readonly extensions: Extensions;
  readonly budget: Budget;
  readonly role: Role;
  readonly ports: SessionPorts;
}

/** The stored events of the session, from this run and earlier ones. */
export interface SessionLog {
  readonly opened: OpenedSession;
  readonly isResumed: boolean;
  /** True if nothing is on disk. */
  readonly isInMemory: boolean;
  /** The events that agents below the lead stored in earlier runs. */
  readonly earlierAgents: readonly StoredEnvelope[];
  /** The path of the lead's log for hooks; empty if it is not on disk. */
  readonly transcriptPath: string;
  /** All stored events, merged in order. */
  readAll(): Promise<readonly StoredEnvelope[]>;
  readLead(): Promise<readonly StoredEnvelope[]>;
  readAgents(): Promise<ReadonlyMap<AgentId, readonly StoredEnvelope[]>>;
  /** The transcript events of an agent, by default the lead. */
  readTranscript(sessionId: SessionId, agent?: AgentId): Promise<readonly StoredEnvelope[]>;
}

export interface Models {
  /** The model of the session's own agent. */
  readonly own: ModelClient;
  /** Model keys, which are removed from everything that agents read. */
  readonly secrets: readonly string[];
  readonly thinkingTokens: number | undefined;
  /** Creates a model when the session changes its own. */
  make(ref: string): Promise<ModelClient>;
  /** The same client for the same reference. */
  get(ref: string): Promise<ModelClient>;
  /** A loader for the small model that belongs to this one. Undefined if none is known. */
  smallOf(ref: string): (() => Promise<ModelClient>) | undefined;
  costOf(ref: string, usage: Usage): number;
}

/** The additions of the user and the project: servers, hooks, agent types, commands, instructions, rules and tools. */
export interface Extensions {
  /** The MCP servers, already starting. */
  readonly mcp: SessionMcp | undefined;
  readonly openHooks: OpenedHooks["create"] | undefined;
  readonly definitions: readonly AgentDefinition[];
  readonly slash: CommandCatalog;
  readonly rules: RuleSet;
  /** The files and instructions that each agent knows. */
  readonly knowledge: AgentKnowledge;
  readonly prompts: AgentPrompts;
  /** More folders that agents may read without asking. */
  readonly readable: readonly string[];
  /** Warnings for the user from the start. */
  readonly notices: readonly string[];
  /** All tools but those with which agents start agents and those of teams. */
  tools(): readonly Tool[];
  /**
   * Loads what a definition adds, and starts its servers. The caller stops them. Rejects if a required server is not
   * available.
   */
  extrasOf(
    definition: AgentDefinition,
    own: { readonly cwd: string; readonly roots: readonly string[]; readonly signal?: AbortSignal | undefined },
  ): Promise<AgentExtras>;
  /** The session's hooks with the definition's. Undefined if the definition has none. */
  hooksOf(definition: AgentDefinition): Promise<OpenedHooks | undefined>;
  closeServers(): Promise<void>;
}

/** The money and the agents that the session may use, alone or together with others. */
export interface Budget {
  readonly ledger: Ledger;
  /** True if the ledger already includes this session's spending from earlier runs. */
  readonly isCounted: boolean;
  /** Limits that count agents of other sessions too. Undefined: the session counts its own. */
  readonly slots: AgentSlots | undefined;
}

/** The connections of a session to its surroundings. */
export interface SessionPorts {
  readonly asker: PermissionAsker;
  /** True if a person answers the questions of its agents. */
  readonly attended: boolean;
  /** The agents whose transcripts `view()` holds. */
  readonly keep: "all" | "lead" | "none";
  /** Undefined without a bus to other machines. */
  readonly remote: RemoteWork | undefined;
  /** Receives all events. */
  readonly telemetry: Telemetry | undefined;
  /** Opens the session socket for other processes of the user. Undefined if there is none. */
  readonly openSocket: SessionSocketOpener | undefined;
  /**
   * Finishes or reverts worktree operations of killed sessions and returns notices. Never rejects because of the state
   * of a worktree.
   */
  recoverWorktrees(): Promise<readonly string[]>;
  readonly worktrees: WorktreeEngine;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Decides who answers permission questions: the sender of `permission.reply`, no user, or a function of the caller. */
export type PermissionAsker =
  | "reply"
  | "nobody"
  | ((question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>);
