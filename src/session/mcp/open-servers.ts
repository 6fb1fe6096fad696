import { isMcpInstructions, isWorkerServers, mcpInstructions } from "../../agent/index.ts";
import { createProcessScope } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { createMcpHub, type McpHub, type McpStatus } from "../../tool/mcp/index.ts";
import type { Config } from "../config/load-config.ts";
import type { McpPorts, SessionMcp, StartSessionMcpOptions } from "./session-mcp.ts";
import { mcpCommands } from "./prompt-commands.ts";
import { elicit } from "./elicitation.ts";
import { readServerEntries } from "./server-entries.ts";
import { serverEnvironment } from "./server-env.ts";
import { openToolPins } from "./tool-pins.ts";

/** The settings that the servers of the session and those of an agent share. */
export const hubSettings = ({ childEnv, mcp }: Pick<Config, "childEnv" | "mcp">) => ({
  env: serverEnvironment(childEnv),
  startTimeoutMs: mcp.startTimeoutMs ?? 30_000,
  callTimeoutMs: mcp.callTimeoutMs ?? 120_000,
});

/** After this time, a wait is shown with its reason. */
const quietMs = 1_000;

/** Starts the servers. Buffers their events until a session is attached. */
export async function openMcpServers({ config, env, clock, waitMs }: StartSessionMcpOptions): Promise<SessionMcp> {
  const entries = readServerEntries(config, env).filter(({ disabled }) => !disabled);
  const processes = createProcessScope();
  const pins = await openToolPins(config.home);
  let ports: McpPorts | undefined;
  let closing: Promise<void> | undefined;
  let waited: Promise<void> | undefined;
  let reportError: unknown;
  const early: ((ports: McpPorts) => void)[] = [];
  const whenAttached = (action: (ports: McpPorts) => void) => {
    if (closing) return;
    if (ports) action(ports);
    else early.push(action);
  };
  const notice = (message: string) =>
    whenAttached(({ record }) => {
      record({ type: "notice.raised", level: "warning", code: "mcp", message }).catch((error: unknown) => {
        reportError ??= error; // `close` rejects with it
      });
    });

  const onChange = ({ error, ...status }: McpStatus) => {
    whenAttached(({ live }) => live({ type: "mcp.changed", ...status, ...(error !== undefined && { error }) }));
    if (status.state === "failed") notice(`the MCP server ${status.server} is unavailable: ${error ?? "unknown"}`);
  };
  const hub: McpHub = createMcpHub({
    entries,
    cwd: config.cwd,
    ...hubSettings(config),
    processes,
    clock,
    pins,
    roots: () => [config.cwd, ...config.additionalDirectories.map(({ value }) => value)],
    elicit: async (server, request, signal) =>
      ports && "requestedSchema" in request ? elicit(ports, { server, request, signal }) : { action: "decline" },
    onChange,
    onNotice: notice,
  });
  for (const status of hub.status()) onChange(status);

  const close = async () => {
    await hub.close();
    await processes.close();
    if (reportError !== undefined) throw reportError;
  };
  const firstWait = async (signal: AbortSignal) => {
    const limit = config.mcp.waitMs ?? waitMs;
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    const late = clock.sleep(limit, until);
    const slow = clock.sleep(quietMs, until).then(() => {
      const reason = `MCP servers are starting: ${starting(hub).join(", ")}`;
      if (limit > quietMs) whenAttached(({ live, turn }) => live({ type: "turn.waiting", turn: turn(), reason }));
    });
    const ended = Promise.allSettled([late, slow]);
    await Promise.race([hub.settled(), late.catch(() => undefined)]); // the loop sees the abort
    over.abort();
    await ended;
  };

  if (entries.some((entry) => typeof entry.config === "object" && entry.config.required)) {
    await hub.settled();
    const [missing] = hub.missing();
    if (missing) {
      closing = close();
      await closing;
      throw new TroupeError(
        "mcp",
        `the MCP server ${missing.server} is required but unavailable: ${missing.error ?? ""}`,
      );
    }
  }

  return {
    tools: hub.tools,
    commands: () => mcpCommands(hub.prompts(), (name) => ports?.outputFile(name)),
    async beforePrompt(content) {
      const words = typeof content === "string" ? content : content.find((part) => part.type === "text")?.text;
      if (words?.startsWith("/mcp__")) await (waited ??= firstWait(new AbortController().signal));
    },
    attach(session) {
      ports = session;
      for (const action of early.splice(0)) action(session);
    },
    async ready(signal) {
      await (waited ??= firstWait(signal));
      if (!ports || closing) return;
      const before = ports.system();
      const block = ports.describe?.() ?? mcpInstructions(hub.instructions());
      const system = [...before.filter((part) => !isServerBlock(part)), ...(block === "" ? [] : [block])];
      if (system.length === before.length && system.every((part, index) => part === before[index])) return;
      await ports.record({ type: "context.composed", system });
    },
    system(stored, refresh) {
      const own = stored.filter((part) => !isServerBlock(part));
      const said = stored.filter(isServerBlock);
      const next = refresh(own);
      return next === own ? stored : [...next, ...said];
    },
    states: () => new Map(hub.status().map(({ server, state }) => [server, state])),
    reconnect(server) {
      if (hub.reconnect(server)) return { ok: true };
      const names = hub.status().map((status) => status.server);
      return {
        ok: false,
        code: "no_such_server",
        message: `there is no server ${server}. Known servers: ${names.join(", ")}`,
      };
    },
    close: () => (closing ??= close()),
  };
}

const isServerBlock = (block: string) => isMcpInstructions(block) || isWorkerServers(block);

const starting = (hub: McpHub) =>
  hub
    .status()
    .filter(({ state }) => state === "connecting" || state === "reconnecting")
    .map(({ server }) => server);
