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
import { hubSettings } from "./open-servers.ts";
import { openToolPins } from "./tool-pins.ts";
import type { Placed } from "../config/settings/merge-settings.ts";

/** The MCP servers of one agent. They stop at the end of each of its runs and start again for the next run. */
export interface AgentServers {
  /**
   * Returns the session's tools and those of the agent's own servers. An own tool replaces a session tool of the same
   * name.
   */
  poolWith(tools: readonly Tool[]): readonly Tool[];
  /** Tool entries for the agent's servers, unless its tool list already mentions them. */
  readonly entries: readonly string[];
  /** The usage instructions of its servers, for the system prompt. */
  instructions(): string;
  /** Servers that the agent starts without, each with the reason. */
  readonly missing: readonly string[];
  /**
   * Call it when the agent exists. From then on the agent records notices, and its servers' questions are asked in its
   * name.
   */
  attach(ports: ElicitPorts): void;
  /** Call it before each turn. Starts stopped servers and waits for them, up to a limit. */
  ready(signal: AbortSignal): Promise<void>;
  /** Stops all servers. `ready` starts them again. */
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
 * Starts an agent's own servers, and waits for them and for the session's servers that it names. The agent starts
 * without a server that fails, and that is reported. If a required server fails, this rejects and stops all of them.
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
    // Ignored: if the log cannot be written, the agent's own next record fails as well.
    ports?.record(event).catch(() => undefined);
  };
  const start = () => {
    if (!pins) return;
    const processes = createProcessScope();
    const hub = createMcpHub({
      entries: own,
      cwd,
      ...hubSettings(config),
      processes,
      clock,
      pins,
      roots: () => roots,
      elicit: async (server, request, asked) =>
        ports && "requestedSchema" in request
          ? elicit(ports, { server, request, signal: asked })
          : { action: "decline" },
      onChange: ({ server, state, error }) => {
        if (state === "failed") notice(`the MCP server ${server} is unavailable: ${error ?? "unknown"}`);
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
      // The session's tools for reading resources win over those of the agent's servers.
      const added = running?.hub.tools().filter(({ name }) => !others.some((tool) => tool.name === name)) ?? [];
      return [...others, ...added];
    },
    entries: entriesFor(definition, [...safe.values(), ...serverNames(named).values()]),
    instructions: () => mcpInstructions(running?.hub.instructions() ?? []),
    missing: [...own.map(({ name }) => name), ...named]
      .filter((name) => now.get(name) !== "connected")
      .map(
        (name) =>
          `the MCP server ${name} is unavailable: ${faults.get(name) ?? now.get(name) ?? "it is not configured"}`,
      ),
    attach(session) {
      ports = session;
    },
    ready,
    stop,
  };
}

/**
 * Treats the definition's file like a settings file. Variables in a project's file are expanded without the model keys.
 */
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

/** Resolves when no server is starting, when the time limit has passed, or when the signal aborts. */
async function waitUntilSettled(
  running: { readonly hub: McpHub } | undefined,
  { clock, signal }: { clock: Clock; signal: AbortSignal | undefined },
): Promise<void> {
  const over = new AbortController();
  const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const late = clock.sleep(startLimitMs, until).catch(() => undefined); // the caller sees the abort
  await Promise.race([running?.hub.settled(), late]);
  over.abort();
  await late;
}
