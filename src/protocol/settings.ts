import * as z from "zod";
import { PermissionMode } from "./permission.ts";

const count = z.number().int().positive();
const money = z.number().nonnegative();

const BaseUrl = z.url({ protocol: /^https?$/, error: "expected a URL that begins with http:// or https://" });

const Provider = z.strictObject({ baseUrl: BaseUrl.optional() });

/** USD per million tokens; missing values follow from `input`. `long` is for prompts of more than `over` tokens. */
const Price = z.strictObject({
  input: money,
  output: money,
  cacheRead: money.exactOptional(),
  cacheWrite: money.exactOptional(),
  long: z.strictObject({ over: count, input: money, output: money }).exactOptional(),
});

const ModelSettings = z.strictObject({
  contextWindow: count.optional(),
  maxOutputTokens: count.optional(),
  price: Price.optional(),
});

const rules = z.array(z.string().trim().min(1)).optional();

const Permissions = z.strictObject({
  allow: rules,
  ask: rules,
  deny: rules,
  /** `bubble` is only for forks: no session can start in it. */
  defaultMode: PermissionMode.exclude(["bubble"]).optional(),
  additionalDirectories: z.array(z.string().min(1)).optional(),
});

const Env = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable"),
  // oxlint-disable-next-line no-control-regex -- no environment can hold a NUL
  z.string().regex(/^[^\u0000]*$/, "expected text without NUL"),
);

/**
 * Where commands run. `auto`: in the sandbox if one is available. `required`: in the sandbox or not at all. `off`:
 * without a sandbox.
 */
const Sandbox = z.strictObject({
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
});

const milliseconds = z.number().int().min(1000).max(86_400_000);
const patterns = z.array(z.string().min(1)).optional();

/** How a worktree is prepared for an agent, and which of its files are not worth keeping. `docs/worktrees.md`. */
export const WorktreeSettings = z.strictObject({
  /** The ends of the paths of installed dependencies, which are copied. An empty list copies none. */
  dependencies: patterns,
  link: patterns,
  copy: patterns,
  sparse: patterns,
  setup: z.string().min(1).optional(),
  setupTimeoutMs: milliseconds.optional(),
  ports: z.number().int().min(0).max(100).optional(),
  folder: z.string().min(1).optional(),
  disposable: patterns,
});
export type WorktreeSettings = z.infer<typeof WorktreeSettings>;

export const LandSettings = z.strictObject({
  check: z.string().min(1).optional(),
  checkTimeoutMs: milliseconds.optional(),
});
export type LandSettings = z.infer<typeof LandSettings>;

/** Limits for all agents of a session together. `maxBudgetUsd` is the money. `docs/limits.md`. */
export const LimitSettings = z.strictObject({
  maxTokens: count.optional(),
  maxAgents: count.optional(),
  maxConcurrentAgents: z.number().int().min(1).max(256).optional(),
  /** 0: only the lead. 1: its subagents cannot start subagents. */
  maxDepth: z.number().int().min(0).max(8).optional(),
  maxSpawnsPerMinute: count.optional(),
});
export type LimitSettings = z.infer<typeof LimitSettings>;

/** How long an agent may stay silent before it is aborted. */
export const WatchdogSettings = z.strictObject({
  startMs: milliseconds.optional(),
  modelMs: milliseconds.optional(),
  toolMs: milliseconds.optional(),
});
export type WatchdogSettings = z.infer<typeof WatchdogSettings>;

/** How subagents work. `docs/agents.md`. */
export const SubagentSettings = z.strictObject({
  /** How long a subagent runs in the foreground before it moves to the background. */
  handOverMs: count.optional(),
  /** For definitions without a mode. Never more than the parent's mode. */
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
  /** The small model checks each report for text that tries to steer its reader. */
  handOverCheck: z.enum(["off", "on"]).optional(),
});
export type SubagentSettings = z.infer<typeof SubagentSettings>;

/** How teams work. `docs/teams.md`. */
export const TeamSettings = z.strictObject({
  /** Offers the team tools without `--team`. */
  enabled: z.boolean().optional(),
  /** Where teammates run. `auto` uses tmux if the session already runs inside it. `remote` uses workers of the bus. */
  backend: z.enum(["auto", "in-process", "tmux", "remote"]).optional(),
  /** Panes on Troupe's own tmux server, or on the user's. */
  tmux: z.enum(["own", "user"]).optional(),
  /** How long a teammate may take to answer a shutdown request. */
  shutdownMs: milliseconds.optional(),
  /** How long a permission request waits before it is refused. */
  permissionTimeoutMs: milliseconds.optional(),
  /** How long a teammate's process may stay silent after its lease ended, before it is ended. */
  silentMs: milliseconds.optional(),
  /** How often the lead is woken by its team without a prompt of the user. */
  maxWakes: z.number().int().positive().optional(),
  /** How long reports are gathered while other teammates work. */
  gatherMs: milliseconds.optional(),
  /** Approves the plans of teammates. */
  planApproval: z.enum(["lead", "user"]).optional(),
  /** Teammates may also start teammates, in the same team. */
  nestedTeams: z.boolean().optional(),
  /** Keeps a finished team when its session ends. */
  keep: z.boolean().optional(),
});
export type TeamSettings = z.infer<typeof TeamSettings>;

/** A bus for teams on several machines. `docs/scale-out.md`. */
export const BusSettings = z.strictObject({
  /** `nats://host:4222`, or several servers of one cluster. */
  servers: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  /** A user's JWT and seed, as `nsc` writes them, or the seed of an nkey. `~/` is the home folder. */
  credentialsFile: z.string().min(1).optional(),
  tls: z
    .strictObject({
      caFile: z.string().min(1).optional(),
      certFile: z.string().min(1).optional(),
      keyFile: z.string().min(1).optional(),
    })
    .optional(),
  /** A worker that is silent for this long loses its agents to another worker. */
  leaseMs: z.number().int().min(1000).optional(),
  /** How long an agent waits for a worker. */
  workerWaitMs: z.number().int().min(1000).optional(),
  /** How long an agent on a worker continues without contact with the session that started it. */
  leadWaitMs: z.number().int().min(1000).optional(),
});
export type BusSettings = z.infer<typeof BusSettings>;

/** The look of the terminal UI. `docs/terminal.md`. */
const TerminalSettings = z.strictObject({
  theme: z.enum(["dark", "light"]).optional(),
  /** Linear text: no box drawing, no animation. */
  screenReader: z.boolean().optional(),
});

/** Traces for OpenTelemetry. `docs/telemetry.md`. */
export const TelemetrySettings = z.strictObject({
  /** Without it nothing is exported. */
  traces: z.boolean().optional(),
  /** The collector's URL for OTLP over HTTP, without the path. Default: OpenTelemetry's own variables. */
  endpoint: BaseUrl.optional(),
  /** Also exports prompts, answers, inputs and results. */
  content: z.boolean().optional(),
});
export type TelemetrySettings = z.infer<typeof TelemetrySettings>;

/** The content of `.troupe/settings.json`; `docs/settings.md` explains each key. An unknown key is an error. */
export const Settings = z.strictObject({
  $schema: z.string().optional(),
  model: z.string().min(1).optional(),
  smallModel: z.string().min(1).optional(),
  aliases: z.record(z.string().min(1), z.string().min(1)).optional(),
  models: z.record(z.string().min(1), ModelSettings).optional(),
  providers: z
    .strictObject({ anthropic: Provider.optional(), openai: Provider.optional(), local: Provider.optional() })
    .optional(),
  permissions: Permissions.optional(),
  env: Env.optional(),
  maxTurns: count.optional(),
  maxBudgetUsd: z.number().positive().optional(),
  limits: LimitSettings.optional(),
  watchdog: WatchdogSettings.optional(),
  retry: z
    .strictObject({
      maxAttempts: z.number().int().min(1).max(100).optional(),
      stallMs: z.number().int().min(1000).max(3_600_000).optional(),
    })
    .optional(),
  compaction: z
    .strictObject({
      atTokens: z.number().int().min(1000).optional(),
      atFraction: z.number().min(0.1).max(0.98).optional(),
    })
    .optional(),
  bash: z.strictObject({ timeoutMs: z.number().int().min(1000).max(600_000).optional() }).optional(),
  mcp: z
    .strictObject({
      /** How long the first request waits for servers that are still starting. */
      waitMs: z.number().int().min(0).max(600_000).optional(),
      startTimeoutMs: z.number().int().min(100).max(600_000).optional(),
      callTimeoutMs: z.number().int().min(100).max(86_400_000).optional(),
    })
    .optional(),
  sandbox: Sandbox.optional(),
  /** Variables that commands receive although they look like a model's key. */
  childEnv: z.strictObject({ allow: z.array(z.string().min(1)).optional() }).optional(),
  worktree: WorktreeSettings.optional(),
  land: LandSettings.optional(),
  subagents: SubagentSettings.optional(),
  teams: TeamSettings.optional(),
  bus: BusSettings.optional(),
  terminal: TerminalSettings.optional(),
  telemetry: TelemetrySettings.optional(),
  /** Folders with `agents/` in them, relative to the settings file's folder or `~/`. */
  plugins: z.array(z.string().min(1)).optional(),
  /** Checked by the code that uses them. */
  hooks: z.unknown().optional(),
  /** A project must not set this: it would turn off the user's guards. */
  disableAllHooks: z.boolean().optional(),
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
