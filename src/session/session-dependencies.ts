import type { AgentKnowledge } from "./agent-runtime/agent-knowledge.ts";
import type { Ledger, PermissionQuestion, TeamFacts, WorktreePlace } from "../agent/index.ts";
import type { Clock, CreateId } from "../platform/index.ts";
import type {
  AgentDefinition,
  AgentId,
  AgentPath,
  LimitSettings,
  ModelClient,
  PermissionAnswer,
  PermissionMode,
  SessionId,
  StoredEnvelope,
  Usage,
  WatchdogSettings,
  LandSettings,
  WorktreeSettings,
} from "../protocol/index.ts";
import type { OpenedSession } from "../store/index.ts";
import type { SideQuestionSettings, AgentSlots, RepositoryContext } from "../team/index.ts";
import type { Coordinator } from "./teams/coordinator-mode.ts";
import type { AgentRuntime } from "./agent-runtime/agent-runtime.ts";
import type { TeamRole, TeamPorts } from "./teams/team-role.ts";
import type { AgentExtras } from "./agent-types/agent-extras.ts";
import type { AgentPrompts, LeadNow } from "./agent-types/agent-prompts.ts";
import type { OpenedHooks } from "./hooks/open-hooks.ts";
import type { createCommandSandbox, RuleSet, Tool } from "../tool/index.ts";
import type { SessionSocketOpener } from "./observe/lazy-session-socket.ts";
import type { SessionMcp } from "./mcp/session-mcp.ts";
import type { RemoteWork } from "./remote/remote-work.ts";
import type { Telemetry } from "./telemetry/start-telemetry.ts";
import type { CommandCatalog } from "./slash-commands/command-catalog.ts";

/** The validated dependencies of a session. Opening it cannot fail because of a wrong setting. */
export interface SessionDependencies {
  readonly opened: OpenedSession;
  /** Returns all stored events, merged in order. */
  readonly readStored: () => Promise<readonly StoredEnvelope[]>;
  /** Events that agents below the lead stored in previous runs of the session. */
  readonly earlierAgents?: readonly StoredEnvelope[] | undefined;
  /** Reads the transcript events of an agent, by default the lead. */
  readonly readTranscript: (sessionId: SessionId, agent?: AgentId) => Promise<readonly StoredEnvelope[]>;
  /** The agents whose transcripts `view()` holds. The default is all. */
  readonly keep?: "all" | "lead" | "none" | undefined;
  readonly cwd: string;
  readonly addedDirectories: readonly string[];
  /** The file for rules that are allowed permanently. */
  readonly localSettings: string;
  readonly model: ModelClient;
  /** Creates another model when the session changes it. */
  readonly makeModel: (ref: string) => Promise<ModelClient>;
  readonly costOf: (ref: string, usage: Usage) => number;
  readonly tools: () => readonly Tool[];
  /** Returns the system prompt of a lead: of a new session, or of a session that resumes with `stored`. */
  readonly system: (stored: readonly string[], now: Pick<LeadNow, "tools" | "mode">) => readonly string[];
  readonly permissionMode: PermissionMode;
  readonly rules: RuleSet;
  readonly asker: PermissionAsker;
  /** The MCP servers, already starting. The session closes them. */
  readonly mcp?: SessionMcp | undefined;
  /** The sandbox for commands, with the folders that it hides. */
  readonly sandbox?: Omit<Parameters<typeof createCommandSandbox>[0], "roots" | "readable"> | undefined;
  readonly commandTimeoutMs?: number | undefined;
  readonly childEnv: Readonly<Record<string, string>>;
  readonly slash?: CommandCatalog | undefined;
  /** More folders that agents may read without asking. */
  readonly readable?: readonly string[] | undefined;
  readonly openHooks?: OpenedHooks["create"] | undefined;
  /** The path of the lead's log for hooks; empty if it is not on disk. */
  readonly transcriptPath: string;
  /** Model keys, which are removed from everything that agents read. */
  readonly secrets?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly limits?: LimitSettings | undefined;
  /** Limits that count agents of other sessions too. The default is this session's own `limits`. */
  readonly spawnLimits?: AgentSlots | undefined;
  /** Undefined if the lead works itself. */
  readonly coordinator?: Coordinator | undefined;
  /** Undefined if this session cannot start agents. */
  readonly agents?: Omit<AgentDependencies, "lead" | "leadTools"> | undefined;
  readonly compaction?:
    | { readonly atTokens?: number | undefined; readonly atFraction?: number | undefined }
    | undefined;
  readonly thinkingTokens?: number | undefined;
  /** Set if the session runs a teammate. */
  readonly member?: MemberContext | undefined;
  /** Connects the session to its teams. */
  readonly team?: ((ports: TeamPorts) => TeamRole) | undefined;
  /** The files and instructions that each agent knows. */
  readonly knowledge: AgentKnowledge;
  /** A ledger, which other sessions in this process may share. */
  readonly ledger: Ledger;
  /** True if the ledger already includes this session's spending from previous runs. */
  readonly isCounted?: boolean | undefined;
  /** Opens the session socket for other processes of the user. Undefined if there is none. */
  readonly openSessionSocket?: SessionSocketOpener | undefined;
  /** Warnings for the user from the start. */
  readonly notices: readonly string[];
  /** Receives all events. */
  readonly telemetry?: Telemetry | undefined;
  /** Runs when the session closes. Its rejection makes `close` reject. */
  readonly onClose?: (() => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly createId: CreateId;
}

export interface MemberContext {
  readonly team: string;
  readonly name: string;
  /** The session of the team's lead, if it has one. */
  readonly leadSession?: SessionId | undefined;
  readonly path: AgentPath;
  readonly definition: AgentDefinition;
  /** The worktree, if the teammate has one. */
  readonly folder?: string | undefined;
  /** The folder that the lead's workers share. */
  readonly scratchpad?: string | undefined;
  readonly prompt: MemberPrompt;
  /** Variables for its commands: the ports of its worktree. */
  readonly env: Readonly<Record<string, string>>;
  /** The highest mode without asking. If a plan must be approved first, it applies after that. */
  readonly mode: PermissionMode;
  /** The current mode from the team's record. */
  readonly modeNow?: (() => PermissionMode) | undefined;
  /** The rules of the whole team. */
  readonly teamRules: () => RuleSet["allow"];
  /** Asks if sandboxed commands may connect to a host that is not listed. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
}

/** The parts of a teammate's system prompt that its team decides. */
export interface MemberPrompt {
  /** Undefined for an agent that works alone on another machine. */
  readonly team?: TeamFacts | undefined;
  /** The worktree that was made for it. */
  readonly worktree?: WorktreePlace | undefined;
  readonly blocks: readonly string[];
}

/** The dependencies for starting agents. */
export interface AgentDependencies {
  readonly definitions: readonly AgentDefinition[];
  readonly forks: boolean;
  readonly backgroundAfterMs: number;
  readonly modelOverride?: string | undefined;
  readonly modeSetting?: PermissionMode | "inherit" | undefined;
  readonly watchdog?: WatchdogSettings | undefined;
  readonly repository: { readonly worktree: WorktreeSettings; readonly land: LandSettings };
  /** Undefined without a bus to other machines. */
  readonly remote?: RemoteWork | undefined;
  readonly place: Pick<RepositoryContext, "home" | "userHome">;
  /** Settings for questions to a small model in addition to the agents' work. */
  readonly sideQuestions: SideQuestionSettings;
  /** Returns a loader for the small model that belongs to this one, or undefined if none is known. */
  smallModelFor(ref: string): (() => Promise<ModelClient>) | undefined;
  /** Returns the same client for the same reference. */
  modelFor(ref: string): Promise<ModelClient>;
  /** Returns the system prompt of an agent of this type below the lead. */
  systemOf: AgentPrompts["of"];
  /**
   * Loads the extras of a definition and starts its servers. The caller stops them. Rejects if a required server is not
   * available.
   */
  loadExtras(
    definition: AgentDefinition,
    own: { readonly cwd: string; readonly roots: readonly string[]; readonly signal?: AbortSignal | undefined },
  ): Promise<AgentExtras>;
  /**
   * Finishes or reverts worktree operations of killed sessions and returns notices. Never rejects because of the state
   * of a worktree.
   */
  recoverWorktrees(): Promise<readonly string[]>;
  /** Returns the session's hooks with the definition's, or undefined if the definition has none. */
  hooksOf(definition: AgentDefinition): Promise<OpenedHooks | undefined>;
  readLogs(): Promise<ReadonlyMap<AgentId, readonly StoredEnvelope[]>>;
  readLead(): Promise<readonly StoredEnvelope[]>;
  /** The lead's runtime, once it exists, and its exact tools. */
  lead(): AgentRuntime;
  leadTools(): readonly Tool[];
}

/** Decides who answers permission questions: the sender of `permission.reply`, no user, or a function of the caller. */
export type PermissionAsker =
  | "reply"
  | "nobody"
  | ((question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>);
