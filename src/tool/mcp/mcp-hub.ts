import type { Clock } from "../../platform/index.ts";
import type { Tool } from "../define-tool.ts";
import { bounded } from "./mcp-tool.ts";
import { type McpPrompt, promptsOf } from "./mcp-prompts.ts";
import { createMcpServer, type McpServer, type McpServerOptions, type ServerState } from "./mcp-server.ts";
import { resourceTools } from "./resource-tools.ts";
import type { McpServerConfig } from "./server-config.ts";
import { createServerTools, type ToolPins } from "./server-tools.ts";
import { serverNames } from "./tool-name.ts";

/** A server from the configuration. */
export interface McpEntry {
  readonly name: string;
  /** The file or flag that contains it. */
  readonly source: string;
  /** With its variables expanded; a text is the reason why the configuration cannot be used. */
  readonly config: McpServerConfig | string;
}

export interface McpHubOptions
  extends Omit<McpServerOptions, "name" | "config" | "onChange" | "messageLimit" | "pingEveryMs" | "backoffMs"> {
  readonly entries: readonly McpEntry[];
  readonly clock: Clock;
  readonly pins: ToolPins;
  readonly messageLimit?: number | undefined;
  readonly pingEveryMs?: number | undefined;
  readonly backoffMs?: number | undefined;
  readonly onChange: (status: McpStatus) => void;
  /** Notice for the user. */
  readonly onNotice: (message: string) => void;
}

export interface McpStatus {
  readonly server: string;
  readonly state: ServerState;
  readonly tools: number;
  readonly error: string | undefined;
}

/** The servers of a session, one connection each, shared by all its agents. They start when the hub is created. */
export interface McpHub {
  /** The current tools. Unchanged tools stay the same objects. */
  tools(): readonly Tool[];
  prompts(): readonly McpPrompt[];
  /** The servers' usage instructions, limited in length. */
  instructions(): readonly { readonly server: string; readonly text: string }[];
  status(): readonly McpStatus[];
  /** Resolves when no server is starting any more. */
  settled(): Promise<void>;
  /** The required servers that cannot be used, with the reason. Valid only after `settled`. */
  missing(): readonly McpStatus[];
  /** Returns false if there is no such server. */
  reconnect(server: string): boolean;
  close(): Promise<void>;
}

const instructionsLimit = 2_000;
const defaultMessageLimit = 16_000_000;
const defaultPingEveryMs = 15_000;
const defaultBackoffMs = 400;

export function createMcpHub(options: McpHubOptions): McpHub {
  const safe = serverNames(options.entries.map(({ name }) => name));
  const safeName = (server: McpServer) => safe.get(server.name) ?? server.name;
  const members = options.entries.map((entry) => {
    const server: McpServer = createMcpServer({
      ...options,
      ...entry,
      messageLimit: options.messageLimit ?? defaultMessageLimit,
      pingEveryMs: options.pingEveryMs ?? defaultPingEveryMs,
      backoffMs: options.backoffMs ?? defaultBackoffMs,
      onChange: () => options.onChange(statusOf(server, tools.all().length)),
    });
    const tools = createServerTools({ ...options, server, entry, safeName: safeName(server) });
    return { server, tools };
  });
  const servers = members.map(({ server }) => server);
  const readers = memo(
    () => servers.map(({ offer }) => offer.hasResources),
    () => resourceTools(() => servers),
  );

  return {
    tools: () => [...members.flatMap(({ tools }) => tools.all()), ...readers()],
    prompts: () => servers.flatMap((server) => promptsOf(server, safeName(server))),
    instructions: () =>
      servers
        .map((server) => ({ server: server.name, text: bounded(server.offer.instructions, instructionsLimit) }))
        .filter(({ text }) => text !== ""),
    status: () => members.map(({ server, tools }) => statusOf(server, tools.all().length)),
    async settled() {
      await Promise.all(servers.map((server) => server.settled()));
    },
    missing: () =>
      members
        .filter(({ server }) => server.required && server.state !== "connected")
        .map(({ server }) => statusOf(server, 0)),
    reconnect(name) {
      const server = servers.find((one) => one.name === name);
      server?.reconnect();
      return server !== undefined;
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

const statusOf = ({ name, state, error }: McpServer, tools: number): McpStatus => ({
  server: name,
  state,
  tools,
  error,
});

/** Creates a value again only when one of its keys has changed. */
function memo<T>(key: () => readonly unknown[], make: () => T): () => T {
  let known: { key: readonly unknown[]; value: T } | undefined;
  return () => {
    const now = key();
    if (!known || known.key.some((part, index) => part !== now[index])) known = { key: now, value: make() };
    return known.value;
  };
}
