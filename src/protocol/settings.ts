import * as z from "zod";
import { PermissionMode } from "./permission.ts";

const count = z.number().int().positive();
const money = z.number().nonnegative();

const BaseUrl = z.url({ protocol: /^https?$/, error: "expected a URL that begins with http:// or https://" });

const Provider = z.strictObject({ baseUrl: BaseUrl.optional() });

/** USD per million tokens; what is left out follows from `input`. `long` is for prompts of more than `over` tokens. */
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
  /** `bubble` is for forks alone: nobody can begin with it. */
  defaultMode: PermissionMode.exclude(["bubble"]).optional(),
  additionalDirectories: z.array(z.string().min(1)).optional(),
});

const Env = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable"),
  // oxlint-disable-next-line no-control-regex -- no environment can hold a NUL
  z.string().regex(/^[^\u0000]*$/, "expected text without NUL"),
);

/** Where commands run. `auto`: in the sandbox where there is one; `required`: in it or not at all; `off`: as they are. */
const Sandbox = z.strictObject({
  mode: z.enum(["off", "auto", "required"]).optional(),
  network: z
    .strictObject({
      /** Whole names, `packages.example.org` or `host:8080`; ports 80 and 443 where none is said. Empty: none. */
      allow: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  /** More folders that commands may write to; relative to the working folder, or `~/`. */
  writable: z.array(z.string().min(1)).optional(),
});

const milliseconds = z.number().int().min(1000).max(86_400_000);
const patterns = z.array(z.string().min(1)).optional();

/** How a worktree is made ready for an agent, and what in it is not worth keeping. `docs/worktrees.md`. */
export const WorktreeSettings = z.strictObject({
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

/** What all agents of a session together may use; `maxBudgetUsd` is the money. `docs/limits.md`. */
export const LimitSettings = z.strictObject({
  maxTokens: count.optional(),
  maxAgents: count.optional(),
  maxConcurrentAgents: z.number().int().min(1).max(256).optional(),
  /** 0: the lead alone; 1: its agents cannot start agents themselves. */
  maxDepth: z.number().int().min(0).max(8).optional(),
  maxSpawnsPerMinute: count.optional(),
});
export type LimitSettings = z.infer<typeof LimitSettings>;

/** How long an agent may show no sign of life before it is given up. */
export const WatchdogSettings = z.strictObject({
  startMs: milliseconds.optional(),
  modelMs: milliseconds.optional(),
  toolMs: milliseconds.optional(),
});
export type WatchdogSettings = z.infer<typeof WatchdogSettings>;

/** How agents that the lead starts work. `docs/agents.md`. */
export const SubagentSettings = z.strictObject({
  /** How long one works in the foreground before it goes on in the background. */
  handOverMs: count.optional(),
  /** For definitions that say none; never more than the parent's. */
  permissionMode: z.enum(["inherit", ...PermissionMode.exclude(["bubble"]).options]).optional(),
  /** A line by the small model, now and then, on what a background agent is doing; where there is one, on by itself. */
  progressSummaries: z.boolean().optional(),
  /** What a long-running agent has done, in the small model's words, kept in its log; where there is one, on by itself. */
  historySummaries: z.boolean().optional(),
  /** The small model looks at each report for words that are meant to steer the one that gets it. */
  handOverCheck: z.enum(["off", "on"]).optional(),
});
export type SubagentSettings = z.infer<typeof SubagentSettings>;

/** How teams work. `docs/teams.md`. */
export const TeamSettings = z.strictObject({
  /** Offers the tools for teams without `--team`. */
  enabled: z.boolean().optional(),
  /** Where teammates run; `auto` takes tmux when already inside it, `remote` is on workers of the bus. */
  backend: z.enum(["auto", "in-process", "tmux", "remote"]).optional(),
  /** Panes on a server of Troupe's own, or beside the user's. */
  tmux: z.enum(["own", "user"]).optional(),
  /** How long a teammate may take to answer when it is asked to end. */
  shutdownMs: milliseconds.optional(),
  /** How long one waits for a permission before it is a no. */
  permissionTimeoutMs: milliseconds.optional(),
  /** How long a teammate's process may give no sign, after its lease is over, before it is ended. */
  silentMs: milliseconds.optional(),
  /** Who approves the plans of teammates. */
  planApproval: z.enum(["lead", "user"]).optional(),
  /** Teammates may start teammates too, in the same team. */
  nestedTeams: z.boolean().optional(),
  /** A team that is over is kept when its session ends. */
  keep: z.boolean().optional(),
});
export type TeamSettings = z.infer<typeof TeamSettings>;

/** A bus that teams live on, for more than one machine. `docs/scale-out.md`. */
export const BusSettings = z.strictObject({
  /** `nats://host:4222`; more than one of the same cluster. */
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
  /** A worker that is not heard of for so long loses the agents that it runs to another. */
  leaseMs: z.number().int().min(1000).optional(),
  /** How long an agent waits for a worker. */
  workerWaitMs: z.number().int().min(1000).optional(),
  /** How long an agent on a worker goes on without a word of the session that has started it. */
  leadWaitMs: z.number().int().min(1000).optional(),
});
export type BusSettings = z.infer<typeof BusSettings>;

/** How the terminal UI looks. `docs/terminal.md`. */
const TerminalSettings = z.strictObject({
  theme: z.enum(["dark", "light"]).optional(),
  /** Linear text: no box drawing, nothing that moves. */
  screenReader: z.boolean().optional(),
});

/** Traces for OpenTelemetry. `docs/telemetry.md`. */
export const TelemetrySettings = z.strictObject({
  /** Nothing is exported without it. */
  traces: z.boolean().optional(),
  /** The collector's address for OTLP over HTTP, without the path; else what OpenTelemetry's own variables say. */
  endpoint: BaseUrl.optional(),
  /** Prompts, answers, inputs and results too. */
  content: z.boolean().optional(),
});
export type TelemetrySettings = z.infer<typeof TelemetrySettings>;

/** What a `.troupe/settings.json` may say; `docs/settings.md` says what each means. A key that is not here is an error. */
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
  /** Variables that commands get although they look like the key to a model. */
  childEnv: z.strictObject({ allow: z.array(z.string().min(1)).optional() }).optional(),
  worktree: WorktreeSettings.optional(),
  land: LandSettings.optional(),
  subagents: SubagentSettings.optional(),
  teams: TeamSettings.optional(),
  bus: BusSettings.optional(),
  terminal: TerminalSettings.optional(),
  telemetry: TelemetrySettings.optional(),
  /** Folders with `agents/` in them; relative to the settings file's folder, or `~/`. */
  plugins: z.array(z.string().min(1)).optional(),
  /** Checked by those who use them. */
  hooks: z.unknown().optional(),
  /** Not for a project to say: it would switch off the user's guards. */
  disableAllHooks: z.boolean().optional(),
  mcpServers: z.unknown().optional(),
});
export type Settings = z.infer<typeof Settings>;

/** What is read of another agent's `.claude/settings.json`: the rest of it is none of our business. */
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
