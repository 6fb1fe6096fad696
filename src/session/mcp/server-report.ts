import * as z from "zod";
import { createProcessScope, systemClock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { createMcpHub, type Environment } from "../../tool/mcp/index.ts";
import type { Config } from "../config/load-config.ts";
import { type ConfiguredServer, readServerEntries } from "./server-entries.ts";
import { serverEnvironment } from "./server-env.ts";

/** The scope of a server entry: all folders of this user, this folder for all users, or this folder for this user. */
export type McpScope = "user" | "project" | "local";

export interface McpEdit {
  readonly name: string;
  readonly scope: McpScope;
  readonly server: Readonly<Record<string, unknown>>;
}

export interface McpListing {
  readonly name: string;
  readonly scope: McpScope | "managed" | "flag";
  readonly source: string;
  /**
   * `untrusted` means that the server is from a folder that is not trusted. `configured` does not mean that the server
   * starts.
   */
  readonly state: "configured" | "disabled" | "untrusted" | "broken";
  readonly problem?: string;
  /** As written in the settings, without the values of variables and headers. */
  readonly server: unknown;
}

export interface McpReport {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
  /** Time from the start to the list of tools. */
  readonly milliseconds: number;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly prompts: readonly string[];
}

export function listServers(config: Config, env: Environment): readonly McpListing[] {
  const used = readServerEntries(config, env).map((entry) => listing(entry, config));
  const Servers = z.record(z.string(), z.unknown());
  const untrusted = config.untrusted
    .filter(({ key }) => key === "mcpServers")
    .flatMap(({ value, source }) =>
      Object.entries(Servers.safeParse(value).data ?? {}).map(([name, server]): McpListing => {
        return { name, scope: "project", source, state: "untrusted", server: masked(server) };
      }),
    );
  return [...used, ...untrusted].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function listing(entry: ConfiguredServer, config: Config): McpListing {
  const { name, source, level } = entry;
  const own = level === "user" ? "user" : level === "flags" ? "flag" : level;
  const broken = typeof entry.config === "string" ? entry.config : undefined;
  return {
    name,
    scope: source === config.localSettings ? "local" : own,
    source,
    state: entry.disabled ? "disabled" : broken === undefined ? "configured" : "broken",
    ...(broken !== undefined && { problem: broken }),
    server: masked(entry.written),
  };
}

/** Hides values, but not references to variables. */
function masked(server: unknown): unknown {
  if (typeof server !== "object" || server === null) return server;
  const hide = (texts: unknown) =>
    typeof texts === "object" && texts !== null
      ? Object.fromEntries(
          Object.entries(texts).map(([key, value]) => [key, /\$\{\w+/.test(String(value)) ? String(value) : "(set)"]),
        )
      : texts;
  return Object.fromEntries(
    Object.entries(server).map(([key, value]) => [key, key === "env" || key === "headers" ? hide(value) : value]),
  );
}

export async function testServers(
  config: Config,
  { env, name }: { env: Environment; name: string | undefined },
): Promise<readonly McpReport[]> {
  const all = listServers(config, env);
  const known = all.find((listed) => listed.name === name);
  if (name !== undefined && known === undefined) throw unknownServer(name, all);
  const entries = readServerEntries(config, env).filter((entry) =>
    name === undefined ? !entry.disabled : entry.name === name,
  );
  if (name !== undefined && entries.length === 0) {
    throw new TroupeError(
      "mcp",
      `cannot start ${name}: it is configured by this folder, which is not trusted. 'troupe trust' shows what the folder requests.`,
    );
  }
  const processes = createProcessScope();
  const started = systemClock.monotonic();
  const took = new Map<string, number>();
  const hub = createMcpHub({
    entries,
    cwd: config.cwd,
    env: serverEnvironment(config.childEnv),
    processes,
    clock: systemClock,
    pins: { get: () => undefined, set: async () => undefined },
    startTimeoutMs: config.mcp.startTimeoutMs ?? 30_000,
    callTimeoutMs: config.mcp.callTimeoutMs ?? 120_000,
    roots: () => [config.cwd],
    elicit: async () => ({ action: "decline" }),
    onChange: ({ server }) => void took.set(server, Math.round(systemClock.monotonic() - started)),
    onNotice: () => undefined,
  });
  try {
    await hub.settled();
    const [tools, prompts] = [hub.tools(), hub.prompts()];
    return hub.status().map(({ server, state, error }) => ({
      name: server,
      ok: state === "connected",
      ...(error !== undefined && { error }),
      milliseconds: took.get(server) ?? 0,
      tools: tools.flatMap((tool) => {
        const subject = tool.subject({});
        return subject.kind === "mcp" && subject.server === server && tool.name.startsWith("mcp__")
          ? [{ name: tool.name, description: tool.description }]
          : [];
      }),
      prompts: prompts.filter((prompt) => prompt.server === server).map((prompt) => `/${prompt.name}`),
    }));
  } finally {
    await hub.close();
    await processes.close();
  }
}

export function unknownServer(name: string, all: readonly { readonly name: string }[]): TroupeError {
  const there =
    all.length === 0 ? "none are configured" : `known servers: ${all.map((listed) => listed.name).join(", ")}`;
  return new TroupeError("usage", `there is no MCP server ${name} (${there})`);
}
