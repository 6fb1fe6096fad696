import { dirname } from "node:path";
import { agentServers, waitForServers } from "../../agent/definitions/index.ts";
import { mcpInstructions } from "../../agent/index.ts";
import { type Clock, createProcessScope, isInside } from "../../platform/index.ts";
import { type AgentDefinition, type StoredEvent, TroupeError } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import { createMcpHub, type McpHub, type McpStatus, serverNames } from "../../tool/mcp/index.ts";
import type { Config } from "../config/load-config.ts";
import type { SessionMcp } from "./session-mcp.ts";
import { elicit, type ElicitPorts } from "./elicitation.ts";
import { readServerEntries } from "./server-entries.ts";
import { serverEnvironment } from "./server-env.ts";
import { defaultCallTimeoutMs, defaultStartTimeoutMs } from "./open-servers.ts";
import { openToolPins } from "./tool-pins.ts";
import type { Placed } from "../config/settings/merge-settings.ts";

/** The servers of one agent's own. They run while it works: they are ended with each of its runs, and started for the next. */
export interface AgentServers {
  /** The session's tools and those of its own servers, which stand in the place of others of their name. */
  poolWith(tools: readonly Tool[]): readonly Tool[];
  /** Entries for its list of tools: what it names as its servers it gets, unless the list speaks of them itself. */
  readonly entries: readonly string[];
  /** What its servers say about their use, for its system prompt. */
  instructions(): string;
  /** What it was to have and starts without. */
  readonly missing: readonly string[];
  /** The agent is there: it is told what happens from here on, and questions of its servers are asked in its name. */
  attach(ports: ElicitPorts): void;
  /** Before each turn: starts what was ended, and waits for it within bounds. */
  ready(signal: AbortSignal): Promise<void>;
  /** Ends all of them. They are started again when the agent goes on. */
  stop(): Promise<void>;
}

export interface AgentServersOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The session's servers. */
  readonly mcp: SessionMcp | undefined;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const startLimitMs = 30_000;

/**
 * Starts an agent's own servers and waits for them and for those that it names. One that fails is told, and the agent starts
 * without it, unless it is required: then this rejects, and nothing is left running.
 */
export async function openAgentServers(
  definition: AgentDefinition,
  { config, env, clock, mcp, cwd, roots, signal }: AgentServersOptions,
): Promise<AgentServers> {
  const { named, inline } = agentServers(definition);
  const own = readServerEntries({ ...config, mcpServers: [serverPlaceOf(definition, inline, config)] }, env).filter(
    ({ disabled }) => !disabled,
  );
  const safe = serverNames(own.map(({ name }) => name));
  const pins = own.length === 0 ? undefined : await openToolPins(config.home);
  let running: { readonly hub: McpHub; end(): Promise<void> } | undefined;
  let ports: ElicitPorts | undefined;
  let stopping: Promise<void> = Promise.resolve();

  const notice = (message: string) => {
    const event: StoredEvent = { type: "notice.raised", level: "warning", code: "mcp", message };
    // A log that cannot be written is met by the agent's own next record.
    ports?.record(event).catch(() => undefined);
  };
  const start = () => {
    if (!pins) return;
    const processes = createProcessScope();
    const hub = createMcpHub({
      entries: own,
      cwd,
      env: serverEnvironment(config.childEnv),
      processes,
      clock,
      pins,
      startTimeoutMs: config.mcp.startTimeoutMs ?? defaultStartTimeoutMs,
      callTimeoutMs: config.mcp.callTimeoutMs ?? defaultCallTimeoutMs,
      roots: () => roots,
      elicit: async (server, request, asked) =>
        ports && "requestedSchema" in request
          ? elicit(ports, { server, request, signal: asked })
          : { action: "decline" },
      onChange: ({ server, state, error }) => {
        if (state === "failed") notice(`the MCP server ${server} is not there: ${error ?? "unknown"}`);
      },
      onNotice: notice,
    });
    const end = async () => {
      await hub.close();
      await processes.close();
    };
    running = { hub, end };
  };
  const stop = () => {
    const ending = running;
    running = undefined;
    stopping = Promise.all([stopping, ending?.end()]).then(() => undefined);
    return stopping;
  };
  const states = () =>
    new Map([
      ...(mcp?.states() ?? []),
      ...(running?.hub.status() ?? []).map(({ server, state }) => [server, state] as const),
    ]);

  const ready = async (until: AbortSignal | undefined) => {
    if (running || own.length === 0) return;
    await stopping;
    start();
    await waitUntilSettled(running, { clock, signal: until });
  };

  const required = [
    ...(definition.requiredMcpServers ?? []),
    ...own.flatMap(({ name, config: each }) => (typeof each === "object" && each.required ? [name] : [])),
  ];
  try {
    await ready(signal);
    const needed = await waitForServers(required, { states }, { clock, signal });
    if (!needed.ok) {
      const failed = running?.hub.status().filter(({ server, error }) => required.includes(server) && error) ?? [];
      const reason = failed.map((status) => `${status.server}: ${wordsOf(status)}`);
      throw new TroupeError("agent", [`${definition.name}: ${needed.message}`, ...reason].join("\n"));
    }
    await waitForServers(named, { states }, { clock, signal });
  } catch (error) {
    await stop();
    throw error;
  }
  const now = states();
  const faults = new Map(running?.hub.status().map((status) => [status.server, wordsOf(status)]));
  return {
    poolWith(tools) {
      const taken = [...safe.values()].map((name) => `mcp__${name}__`);
      const others = tools.filter(({ name }) => !taken.some((prefix) => name.startsWith(prefix)));
      // The readers of resources are the session's where it has them.
      const added = running?.hub.tools().filter(({ name }) => !others.some((tool) => tool.name === name)) ?? [];
      return [...others, ...added];
    },
    entries: entriesFor(definition, [...safe.values(), ...serverNames(named).values()]),
    instructions: () => mcpInstructions(running?.hub.instructions() ?? []),
    missing: [...own.map(({ name }) => name), ...named]
      .filter((name) => now.get(name) !== "connected")
      .map(
        (name) => `the MCP server ${name} is not there: ${faults.get(name) ?? now.get(name) ?? "it is not configured"}`,
      ),
    attach(session) {
      ports = session;
    },
    ready,
    stop,
  };
}

/** As if the definition's file were a settings file: what a project's says is filled in without the keys to models. */
function serverPlaceOf(
  { source }: AgentDefinition,
  value: Readonly<Record<string, unknown>>,
  { cwd, projectFolders, strictMcp }: Config,
): Placed<unknown> {
  const isFlag = source.level === "flag";
  const level = isFlag
    ? "flags"
    : source.level === "managed"
      ? "managed"
      : source.level === "project"
        ? "project"
        : "user";
  const folder = isFlag
    ? cwd
    : (projectFolders.findLast((each) => isInside(source.from, each)) ?? dirname(source.from));
  return { value: strictMcp && !isFlag ? {} : value, source: source.from, level, folder };
}

function entriesFor({ tools }: AgentDefinition, servers: readonly string[]): readonly string[] {
  if (tools === undefined || tools.includes("*")) return [];
  const prefixes = [...new Set(servers)].map((server) => `mcp__${server}`);
  return prefixes.filter((prefix) => !tools.some((entry) => `${entry}__`.startsWith(`${prefix}__`)));
}

const wordsOf = ({ state, error }: McpStatus) => error ?? state;

/** Resolves when no server is on its way, when it has taken too long, or when nobody wants it any more. */
async function waitUntilSettled(
  running: { readonly hub: McpHub } | undefined,
  { clock, signal }: { clock: Clock; signal: AbortSignal | undefined },
): Promise<void> {
  const over = new AbortController();
  const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const late = clock.sleep(startLimitMs, until).catch(() => undefined); // an abort is for the caller to see
  await Promise.race([running?.hub.settled(), late]);
  over.abort();
  await late;
}
