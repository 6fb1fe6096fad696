import * as z from "zod";
import { Effort } from "./model.ts";
import { PermissionMode } from "./permission.ts";

const count = z.number().int().positive();
const money = z.number().nonnegative();

const BaseUrl = z.url({ protocol: /^https?$/, error: "expected a URL that begins with http:// or https://" });

const Provider = z.strictObject({
  /** The address of the API. */
  baseUrl: BaseUrl.optional(),
});

/** USD per million tokens; missing values follow from `input`. `long` is for prompts of more than `over` tokens. */
const Price = z.strictObject({
  /** USD for a million input tokens. */
  input: money,
  /** USD for a million output tokens. */
  output: money,
  /** USD for a million tokens that are read from the cache. Default: a share of `input`. */
  cacheRead: money.exactOptional(),
  /** USD for a million tokens that are written to the cache. Default: a share of `input`. */
  cacheWrite: money.exactOptional(),
  long: z
    .strictObject({
      /** Prompts of more than this number of tokens have the prices below. */
      over: count,
      /** USD for a million input tokens. */
      input: money,
      /** USD for a million output tokens. */
      output: money,
    })
    .exactOptional(),
});

const ModelSettings = z.strictObject({
  /** Tokens that fit into the conversation. */
  contextWindow: count.optional(),
  /** Tokens of the longest answer. */
  maxOutputTokens: count.optional(),
  price: Price.optional(),
});

const rules = z.array(z.string().trim().min(1)).optional();

const Permissions = z.strictObject({
  /** Rules that allow a call without a question, such as `Bash(npm test)`. */
  allow: rules,
  /** Rules that ask you about a call in every mode. */
  ask: rules,
  /** Rules that refuse a call. They are checked first. */
  deny: rules,
  /** The permission mode of a new session. `bubble` is only for forks. Default: `default`. */
  defaultMode: PermissionMode.exclude(["bubble"]).optional(),
  /** More folders to work in, relative to the folder of the project or `~/`. */
  additionalDirectories: z.array(z.string().min(1)).optional(),
});

const Env = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable"),
  // oxlint-disable-next-line no-control-regex -- no environment can hold a NUL
  z.string().regex(/^[^\u0000]*$/, "expected text without NUL"),
);

/**
 * Where commands run. `auto` (default): in the sandbox if one is available. `required`: in the sandbox or not at all.
 * `off`: without a sandbox.
 */
const Sandbox = z.strictObject({
  /** Where commands run. `auto` needs a yes of a person for everything outside. Default: `auto`. */
  mode: z.enum(["off", "auto", "required"]).optional(),
  network: z
    .strictObject({
      /**
       * Full host names: `packages.example.org` or `host:8080`. Default ports: 80 and 443. An empty list allows none.
       */
      allow: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  /** More folders that commands may write to, relative to the working folder or `~/`. */
  writable: z.array(z.string().min(1)).optional(),
  /**
   * Commands that must run outside, as the words that they begin with: `docker`, `git push`. They still need a rule or a
   * yes, and plain words without any expansion.
   */
  outside: z.array(z.string().trim().min(1)).optional(),
});

const milliseconds = z.number().int().min(1000).max(86_400_000);
const patterns = z.array(z.string().min(1)).optional();

/** How a worktree is prepared for an agent, and which of its files are not worth keeping. `docs/how-to/land-branches.md`. */
export const WorktreeSettings = z.strictObject({
  /** The ends of the paths of installed dependencies, which are copied. An empty list copies none. */
  dependencies: patterns,
  /** Ignored files and folders of your working tree that are linked. A write changes your working tree. */
  link: patterns,
  /** Ignored files and folders of your working tree that are copied. */
  copy: patterns,
  /** Folders to check out. The files at the top are always checked out. */
  sparse: patterns,
  /** A command that runs in a new worktree. If it fails, the worktree is removed. */
  setup: z.string().min(1).optional(),
  /** How long `setup` may take. */
  setupTimeoutMs: milliseconds.optional(),
  /** The number of ports that each worktree gets. `TROUPE_PORT_BASE` is the first. */
  ports: z.number().int().min(0).max(100).optional(),
  /** The folder for worktrees. Default: `REPO.troupe` beside the repository. */
  folder: z.string().min(1).optional(),
  /** Ignored files that do not keep a worktree alive. */
  disposable: patterns,
});
export type WorktreeSettings = z.infer<typeof WorktreeSettings>;

/** The states of files that `/rewind` and `/diff` use. `docs/how-to/rewind.md`. */
const CheckpointSettings = z.strictObject({
  /** `off` keeps no states of files. Default: `on`. */
  mode: z.enum(["on", "off"]).optional(),
  /** A larger file is not kept. Default: 10,000,000. */
  maxFileBytes: z.number().int().min(0).optional(),
  /** An ignored file that is larger is not kept, and no ignored folder. 0 keeps none. Default: 1,000,000. */
  maxIgnoredBytes: z.number().int().min(0).optional(),
  /** If more files are new or changed at once, no states are kept. Default: 100,000. */
  maxFiles: count.optional(),
});

export const LandSettings = z.strictObject({
  /** The command that must pass before a branch lands. */
  check: z.string().min(1).optional(),
  /** How long the check may take. Default: 30 minutes. */
  checkTimeoutMs: milliseconds.optional(),
});
export type LandSettings = z.infer<typeof LandSettings>;

/** Limits for all agents of a session together. `maxBudgetUsd` is the money. `docs/explanation/limits-and-evidence.md`. */
export const LimitSettings = z.strictObject({
  /** Tokens of all agents together, cached tokens included. Default: no limit. */
  maxTokens: count.optional(),
  /** Agents in all, over every resume. Default: 500. */
  maxAgents: count.optional(),
  /** Agents that work at the same time. Others wait. Default: 16. */
  maxConcurrentAgents: z.number().int().min(1).max(256).optional(),
  /** 0: only the lead. 1: its subagents cannot start subagents. Default: 1. */
  maxDepth: z.number().int().min(0).max(8).optional(),
  /** Agents that start in one minute. Default: 300. */
  maxSpawnsPerMinute: count.optional(),
});
export type LimitSettings = z.infer<typeof LimitSettings>;

/** How long an agent may stay silent before it is aborted. */
export const WatchdogSettings = z.strictObject({
  /** How long an agent may take to start. Default: 1 minute. */
  startMs: milliseconds.optional(),
  /** How long its model may be silent. Default: 5 minutes, and at least twice `retry.stallMs`. */
  modelMs: milliseconds.optional(),
  /** How long a call may show no progress. Default: 15 minutes. */
  toolMs: milliseconds.optional(),
});
export type WatchdogSettings = z.infer<typeof WatchdogSettings>;

/** How subagents work. `docs/how-to/write-an-agent.md`. */
export const SubagentSettings = z.strictObject({
  /** How long a subagent runs in the foreground before it moves to the background. Default: 120,000. */
  handOverMs: count.optional(),
  /** For definitions without a mode. Never more than the parent's mode. Default: `inherit`. */
  permissionMode: z.enum(["inherit", ...PermissionMode.exclude(["bubble"]).options]).optional(),
  /**
   * A line from the small model, now and then, on what a background agent is doing. On by default if there is a small
   * model.
   */
  progressSummaries: z.boolean().optional(),
  /**
   * A long-running agent's past work, summarized by the small model and kept in its log. On by default if there is a
   * small model.
   */
  historySummaries: z.boolean().optional(),
  /** The small model checks each report for text that tries to steer its reader. Default: `off`. */
  handOverCheck: z.enum(["off", "on"]).optional(),
});
export type SubagentSettings = z.infer<typeof SubagentSettings>;

/** How teams work. `docs/explanation/teams.md`. */
export const TeamSettings = z.strictObject({
  /** Offers the team tools without `--team`. Default: true, but not for a coordinator. */
  enabled: z.boolean().optional(),
  /** Where teammates run. `auto` uses tmux if the session already runs inside it. `remote` uses workers of the bus. */
  backend: z.enum(["auto", "in-process", "tmux", "remote"]).optional(),
  /** Panes on Troupe's own tmux server, or on the user's. Default: `own`. */
  tmux: z.enum(["own", "user"]).optional(),
  /** How long a teammate may take to answer a shutdown request. Default: 60,000. */
  shutdownMs: milliseconds.optional(),
  /** How long a permission request waits before it is refused. Default: 600,000. */
  permissionTimeoutMs: milliseconds.optional(),
  /** How long a teammate's process may stay silent after its lease ended, before it is ended. Default: 20,000. */
  silentMs: milliseconds.optional(),
  /** How often the lead is woken by its team without a prompt of the user. Default: 200. */
  maxWakes: z.number().int().positive().optional(),
  /** How long reports are gathered while other teammates work. Default: 20,000. */
  gatherMs: milliseconds.optional(),
  /** Approves the plans of teammates. Default: `lead`. */
  planApproval: z.enum(["lead", "user"]).optional(),
  /** Teammates may also start teammates, in the same team. Default: false. */
  nestedTeams: z.boolean().optional(),
  /** Keeps a finished team when its session ends. Default: false. */
  keep: z.boolean().optional(),
});
export type TeamSettings = z.infer<typeof TeamSettings>;

/** A bus for teams on several machines. `docs/explanation/several-machines.md`. */
export const BusSettings = z.strictObject({
  /** `nats://host:4222`, or several servers of one cluster. */
  servers: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  /** A user's JWT and seed, as `nsc` writes them, or the seed of an nkey. `~/` is the home folder. */
  credentialsFile: z.string().min(1).optional(),
  tls: z
    .strictObject({
      /** The authority that signs the certificates of the servers. */
      caFile: z.string().min(1).optional(),
      /** The certificate of this client, if the servers ask for one. */
      certFile: z.string().min(1).optional(),
      /** The key of that certificate. */
      keyFile: z.string().min(1).optional(),
    })
    .optional(),
  /** A worker that is silent for this long loses its agents to another worker. Default: 10,000. */
  leaseMs: z.number().int().min(1000).optional(),
  /** How long an agent waits for a worker. Default: 120,000. */
  workerWaitMs: z.number().int().min(1000).optional(),
  /** How long an agent on a worker continues without contact with the session that started it. Default: 3,600,000. */
  leadWaitMs: z.number().int().min(1000).optional(),
});
export type BusSettings = z.infer<typeof BusSettings>;

/** The look of the terminal UI. `docs/reference/terminal.md`. */
const TerminalSettings = z.strictObject({
  /** The background to draw for. */
  theme: z.enum(["dark", "light"]).optional(),
  /** Linear text: no box drawing, no animation. Default: false. */
  screenReader: z.boolean().optional(),
  /**
   * When Troupe is done, has failed or waits for you. `all`: title of the window, bell and desktop notification.
   * `title`: only the title. Default: all.
   */
  notify: z.enum(["all", "title", "off"]).optional(),
  /** Asks npm once a day for a newer version, and names it when you leave. Default: true; never in CI. */
  updateCheck: z.boolean().optional(),
});

/** Traces for OpenTelemetry. `docs/how-to/send-traces.md`. */
export const TelemetrySettings = z.strictObject({
  /** Without it nothing is exported. Default: false. */
  traces: z.boolean().optional(),
  /** The collector's URL for OTLP over HTTP, without the path. Default: OpenTelemetry's own variables. */
  endpoint: BaseUrl.optional(),
  /** Also exports prompts, answers, inputs and results. */
  content: z.boolean().optional(),
});
export type TelemetrySettings = z.infer<typeof TelemetrySettings>;

/** The content of `.troupe/settings.json`; `docs/reference/settings.md` explains each key. An unknown key is an error. */
export const Settings = z.strictObject({
  /** The schema file for your editor. Troupe ignores it. */
  $schema: z.string().optional(),
  /**
   * The model: `anthropic/…`, `openai/…`, `local/…`, `scripted/FILE`, a family (`opus`, `sonnet`, `haiku`) or an
   * alias.
   */
  model: z.string().min(1).optional(),
  /** How much models think before they answer, if they can. Default: medium. */
  effort: Effort.optional(),
  /** The model for summaries. Default: the smallest model of the same provider. */
  smallModel: z.string().min(1).optional(),
  /** Your own names for models. They win over the families. */
  aliases: z.record(z.string().min(1), z.string().min(1)).optional(),
  models: z.record(z.string().min(1), ModelSettings).optional(),
  providers: z
    .strictObject({ anthropic: Provider.optional(), openai: Provider.optional(), local: Provider.optional() })
    .optional(),
  permissions: Permissions.optional(),
  /** Environment variables for commands, and for finding keys. */
  env: Env.optional(),
  /** An agent stops after this number of turns for one prompt. */
  maxTurns: count.optional(),
  /** A session stops when it has spent this many US dollars. Default: no limit. */
  maxBudgetUsd: z.number().positive().optional(),
  limits: LimitSettings.optional(),
  watchdog: WatchdogSettings.optional(),
  retry: z
    .strictObject({
      /** How often a request is sent before the turn fails. */
      maxAttempts: z.number().int().min(1).max(100).optional(),
      /** How long a stream may be silent before the request is repeated. */
      stallMs: z.number().int().min(1000).max(3_600_000).optional(),
    })
    .optional(),
  compaction: z
    .strictObject({
      /** Compact the conversation at this number of tokens. It wins over `atFraction`. */
      atTokens: z.number().int().min(1000).optional(),
      /** Compact the conversation at this part of the context window. */
      atFraction: z.number().min(0.1).max(0.98).optional(),
    })
    .optional(),
  bash: z
    .strictObject({
      /** How long a command may take if the call does not say. Default: 120,000. */
      timeoutMs: z.number().int().min(1000).max(600_000).optional(),
    })
    .optional(),
  mcp: z
    .strictObject({
      /** How long the first request waits for servers that are still starting. Default: 10,000. */
      waitMs: z.number().int().min(0).max(600_000).optional(),
      /** How long a server may take to start. Default: 30,000. */
      startTimeoutMs: z.number().int().min(100).max(600_000).optional(),
      /** How long one call may take. Default: 120,000. */
      callTimeoutMs: z.number().int().min(100).max(86_400_000).optional(),
    })
    .optional(),
  sandbox: Sandbox.optional(),
  childEnv: z
    .strictObject({
      /** Variables that commands receive although they look like a model's key. */
      allow: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  checkpoints: CheckpointSettings.optional(),
  worktree: WorktreeSettings.optional(),
  land: LandSettings.optional(),
  subagents: SubagentSettings.optional(),
  teams: TeamSettings.optional(),
  bus: BusSettings.optional(),
  terminal: TerminalSettings.optional(),
  telemetry: TelemetrySettings.optional(),
  /** Folders with `agents/` in them, relative to the settings file's folder or `~/`. */
  plugins: z.array(z.string().min(1)).optional(),
  /** Commands that run at certain moments. */
  hooks: z.unknown().optional(),
  /** Turns off all hooks except those of the administrator. A project cannot set it. */
  disableAllHooks: z.boolean().optional(),
  /** MCP servers by name. */
  mcpServers: z.unknown().optional(),
});
export type Settings = z.infer<typeof Settings>;

/** The part of another agent's `.claude/settings.json` that Troupe reads. Other keys are ignored. */
export const ClaudeSettings = z.object({
  permissions: z
    .object({
      allow: rules,
      ask: rules,
      deny: rules,
      additionalDirectories: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  env: Env.optional(),
  hooks: z.unknown().optional(),
  disableAllHooks: z.boolean().optional(),
});
export type ClaudeSettings = z.infer<typeof ClaudeSettings>;
