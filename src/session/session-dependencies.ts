import type { Ledger, PermissionQuestion } from "../agent/index.ts";
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
  WorktreeSettings,
} from "../protocol/index.ts";
import type { OpenedSession } from "../store/index.ts";
import type { SideQuestionSettings, AgentSlots, RepositoryContext } from "../team/index.ts";
import type { Coordinator } from "./teams/coordinator-mode.ts";
import type { AgentRuntime } from "./agent-runtime/agent-runtime.ts";
import type { TeamRole, TeamPorts } from "./teams/team-role.ts";
import type { AgentExtras, LoadedExtras } from "./agent-types/agent-extras.ts";
import type { OpenedHooks } from "./hooks/open-hooks.ts";
import type { createCommandSandbox, RuleSet, Tool } from "../tool/index.ts";
import type { SessionSocketOpener } from "./observe/lazy-session-socket.ts";
import type { SessionMcp } from "./mcp/session-mcp.ts";
import type { RemoteWork } from "./remote/remote-work.ts";
import type { Telemetry } from "./telemetry/start-telemetry.ts";
import type { CommandCatalog } from "./slash-commands/command-catalog.ts";

/** Everything a session is made of, found and checked: opening it can no longer fail for a wrong setting. */
export interface SessionDependencies {
  readonly opened: OpenedSession;
  /** Everything stored so far, in order, as a reader sees it. */
  readonly readStored: () => Promise<readonly StoredEnvelope[]>;
  /** What agents under the lead have stored in earlier lives of the session. */
  readonly earlierAgents?: readonly StoredEnvelope[] | undefined;
  /** What a transcript is made of, from one agent's log; without an agent the lead's. */
  readonly readTranscript: (sessionId: SessionId, agent?: AgentId) => Promise<readonly StoredEnvelope[]>;
  /** Whose transcripts `view()` holds; everybody's where nobody says. */
  readonly keep?: "all" | "lead" | "none" | undefined;
  readonly cwd: string;
  readonly addedDirectories: readonly string[];
  /** Where an answer that is to last is kept. */
  readonly localSettings: string;
  readonly model: ModelClient;
  /** Makes another model when the session is told to change it. */
  readonly makeModel: (ref: string) => Promise<ModelClient>;
  readonly costOf: (ref: string, usage: Usage) => number;
  readonly tools: () => readonly Tool[];
  /** The system prompt for a session that begins, or that goes on with `stored`. */
  readonly system: (stored: readonly string[]) => readonly string[];
  readonly permissionMode: PermissionMode;
  readonly rules: RuleSet;
  readonly asker: PermissionAsker;
  /** The servers of tools, already starting; the session closes them. */
  readonly mcp?: SessionMcp | undefined;
  /** Where commands run, and the folders that a sandbox hides. */
  readonly sandbox?: Omit<Parameters<typeof createCommandSandbox>[0], "roots" | "readable"> | undefined;
  readonly commandTimeoutMs?: number | undefined;
  readonly childEnv: Readonly<Record<string, string>>;
  readonly slash?: CommandCatalog | undefined;
  /** Folders that agents may read without asking, besides their own. */
  readonly readable?: readonly string[] | undefined;
  readonly openHooks?: OpenedHooks["create"] | undefined;
  /** The lead's log, for hooks that want to read it; empty where it is not on disk. */
  readonly transcriptPath: string;
  /** The keys to models: they are kept out of what agents read. */
  readonly secrets?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly limits?: LimitSettings | undefined;
  /** Where agents of other sessions count as well; without them those of this one do, by `limits`. */
  readonly spawnLimits?: AgentSlots | undefined;
  /** Undefined: the lead works itself. */
  readonly coordinator?: Coordinator | undefined;
  /** Undefined: this session starts no other agents. */
  readonly agents?: Omit<AgentDependencies, "lead" | "leadTools"> | undefined;
  readonly compaction?:
    | { readonly atTokens?: number | undefined; readonly atFraction?: number | undefined }
    | undefined;
  readonly thinkingTokens?: number | undefined;
  /** Who the session's agent is, where it is a member of a team. */
  readonly member?: MemberContext | undefined;
  /** Connects the session to its teams. */
  readonly team?: ((ports: TeamPorts) => TeamRole) | undefined;
  /** Shared with others in this process who spend from the same budget. */
  readonly ledger?: Ledger | undefined;
  /** It knows already what this session has spent in earlier lives. */
  readonly isCounted?: boolean | undefined;
  /** Lets other processes of the user look on; undefined: none can. */
  readonly openSessionSocket?: SessionSocketOpener | undefined;
  /** Things the user should hear about that stopped nothing. */
  readonly notices: readonly string[];
  /** Told everything that happens, beside the work. */
  readonly telemetry?: Telemetry | undefined;
  /** Run when the session closes; what it rejects with, `close` does. */
  readonly onClose?: (() => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly createId: CreateId;
}

export interface MemberContext {
  readonly team: string;
  readonly name: string;
  /** Of who leads the team, where that is a session. */
  readonly leadSession?: SessionId | undefined;
  readonly path: AgentPath;
  readonly definition: AgentDefinition;
  /** Where it works, if that is a worktree of its own. */
  readonly folder?: string | undefined;
  /** That is another one than it had: wherever in the other it last was is not there. */
  readonly isMoved?: boolean | undefined;
  /** The folder that the workers of its lead share. */
  readonly scratchpad?: string | undefined;
  /** What its system prompt says of teams. */
  readonly conduct: string;
  /** Variables for its commands: ports of its worktree. */
  readonly env: Readonly<Record<string, string>>;
  /** The most it may do without asking; where its plan has to be approved first, that is from then on. */
  readonly mode: PermissionMode;
  /** The same at this moment, where a team's record says it. */
  readonly modeNow?: (() => PermissionMode) | undefined;
  /** Rules that hold for everybody in the team. */
  readonly teamRules: () => RuleSet["allow"];
  /** Whether its commands in the sandbox may reach a host that is not listed. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
}

/** What it takes to start other agents. */
export interface AgentDependencies {
  readonly definitions: readonly AgentDefinition[];
  readonly forks: boolean;
  readonly backgroundAfterMs: number;
  readonly modelOverride?: string | undefined;
  readonly modeSetting?: PermissionMode | "inherit" | undefined;
  readonly watchdog?: WatchdogSettings | undefined;
  readonly worktree: WorktreeSettings;
  /** Undefined: there is no bus to other machines. */
  readonly remote?: RemoteWork | undefined;
  readonly place: Pick<RepositoryContext, "home" | "userHome">;
  /** What is asked of a small model beside the agents' work. */
  readonly sideQuestions: SideQuestionSettings;
  /** How the small model that goes with this one is had; undefined where none is known. */
  smallModelFor(ref: string): (() => Promise<ModelClient>) | undefined;
  /** The same client for the same ref. */
  modelFor(ref: string): Promise<ModelClient>;
  /** The system prompt of an agent of this type that works in this folder, with blocks that are its own. */
  systemOf(
    definition: AgentDefinition,
    own: Pick<LoadedExtras, "blocks" | "skills" | "offersSkills"> & { readonly cwd: string },
  ): readonly string[];
  /** What it has by its definition. Its servers are starting; whoever asks for it ends them. Rejects where a server that it needs cannot be had. */
  loadExtras(
    definition: AgentDefinition,
    own: { readonly cwd: string; readonly roots: readonly string[]; readonly signal?: AbortSignal | undefined },
  ): Promise<AgentExtras>;
  /** Finishes or takes back what killed sessions have left of worktrees, and says what. Never rejects for the state they are in. */
  recoverWorktrees(): Promise<readonly string[]>;
  /** The session's hooks and the definition's; undefined where it has none of its own. */
  hooksOf(definition: AgentDefinition): Promise<OpenedHooks | undefined>;
  readLogs(): Promise<ReadonlyMap<AgentId, readonly StoredEnvelope[]>>;
  readLead(): Promise<readonly StoredEnvelope[]>;
  /** The lead's seat, once it has one, and its exact tools. */
  lead(): AgentRuntime;
  leadTools(): readonly Tool[];
}

/** Who answers a question for permission: whoever sends `permission.reply`, nobody, or a function of the caller's. */
export type PermissionAsker =
  | "reply"
  | "nobody"
  | ((question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>);
