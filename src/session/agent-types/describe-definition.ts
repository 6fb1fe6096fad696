import * as z from "zod";
import {
  type AgentKind,
  type AgentModel,
  type AgentTools,
  type EffectiveMode,
  effectiveMode,
  resolveAgentModel,
  selectAgentTools,
  agentServers,
  teamTools,
} from "../../agent/definitions/index.ts";
import { defaultModel, resolveModel } from "../../model/index.ts";
import { PermissionMode, TroupeError } from "../../protocol/index.ts";
import { builtinTools, defineTool, failedResult, type Tool } from "../../tool/index.ts";
import { memoryEntries, memoryFolder } from "./agent-memory.ts";
import type { LoadedAgent } from "./load-definitions.ts";
import type { Config } from "../config/load-config.ts";

/** The effective configuration of an agent if a parent started it now. */
export interface AgentDescription {
  readonly kind: AgentKind;
  /** Undefined when the agent inherits the parent's model, which is not known here. */
  readonly model: AgentModel | undefined;
  /** The effective mode for each mode that a parent can have. */
  readonly modes: readonly (EffectiveMode & { readonly parent: PermissionMode })[];
  /**
   * The tools in the mode that results from `parentMode`. Tools of MCP servers are not included: no server is
   * connected.
   */
  readonly tools: AgentTools;
  /** MCP servers whose tools the agent also gets. */
  readonly servers: readonly string[];
  /** Servers that the definition names and the settings do not configure. */
  readonly missingServers: readonly { readonly server: string; readonly field: "requiredMcpServers" | "mcpServers" }[];
  /** The folder of the agent's notes. */
  readonly memory: string | undefined;
}

export interface DescribeOptions {
  readonly config: Config;
  readonly parentMode: PermissionMode;
  /** All tools except those of MCP servers. */
  readonly pool?: readonly Tool[] | undefined;
}

export function describeAgent(
  { definition }: Pick<LoadedAgent, "definition">,
  { config, parentMode, pool = [...builtinTools(), ...madeWithSession()] }: DescribeOptions,
): AgentDescription {
  const kind: AgentKind = definition.background ? "background" : "foreground";
  const modeUnder = (parent: PermissionMode) =>
    effectiveMode({ parent, definition: definition.permissionMode, setting: config.subagents.permissionMode });
  const configured = configuredServers(config);
  const { named, inline } = agentServers(definition);
  const own = Object.keys(inline);
  const servers = [...new Set([...configured, ...own])];
  const userDefined = definition.source.level !== "built-in";
  const { mode } = modeUnder(parentMode);
  const memory = memoryFolder(definition, config);
  const notes = memory === undefined ? [] : memoryEntries(definition, memory);
  const extras = definition.tools ? { ...definition, tools: [...definition.tools, ...notes] } : definition;
  const selected = selectAgentTools({ definition: extras, pool, kind, mode, userDefined });
  const missing = (names: readonly string[] = []) => names.filter((name) => !servers.includes(name));
  return {
    kind,
    model: modelOf(definition.model, config),
    modes: PermissionMode.options.filter(isStart).map((parent) => ({ parent, ...modeUnder(parent) })),
    tools: {
      ...selected,
      // Entries for a server's tools can only be checked when the server is connected.
      reports: selected.reports.filter(({ entry }) => !servers.some((server) => speaksOf(entry, server))),
    },
    servers: servers.filter((server) =>
      getsServer(definition, { server, byName: [...own, ...named].includes(server) }),
    ),
    missingServers: [
      ...missing(definition.requiredMcpServers).map((server) => ({ server, field: "requiredMcpServers" as const })),
      ...missing(named).map((server) => ({ server, field: "mcpServers" as const })),
    ],
    memory,
  };
}

/** `byName` is true if the definition lists the server in its servers. */
function getsServer(
  { tools, disallowedTools = [] }: LoadedAgent["definition"],
  { server, byName }: { server: string; byName: boolean },
): boolean {
  const isWhole = (entry: string) => entry === "*" || entry.replace(/__\*$/, "") === prefixOf(server);
  if (disallowedTools.some(isWhole)) return false;
  if (byName) return true;
  return tools === undefined || tools.some((entry) => entry === "*" || speaksOf(entry, server));
}

const prefixOf = (server: string) => `mcp__${server.replace(/[^\w-]/g, "_")}`;
const speaksOf = (entry: string, server: string) => `${entry}__`.startsWith(`${prefixOf(server)}__`);

/** Placeholders for tools that exist only in a session. They have a name and are never called. */
const madeWithSession = (): Tool[] =>
  ["Agent", ...teamTools].map((name) =>
    defineTool<unknown>({
      name,
      description: name,
      input: z.unknown(),
      access: "read",
      subject: () => ({ kind: "none" }),
      title: () => name,
      execute: async () => failedResult(`${name} is available only in a session.`),
    }),
  );

const isStart = (mode: PermissionMode) => mode !== "bubble";

/** Resolves the model as if the parent were the lead of a new session in this folder. */
function modelOf(definition: string | undefined, config: Config): AgentModel | undefined {
  const parent = leadModel(config);
  const override = config.subagentModel?.value;
  if (parent !== undefined) {
    return resolveAgentModel({ override, definition, parent, overrides: { aliases: config.aliases } });
  }
  const wanted = override ?? definition;
  if (wanted === undefined || wanted === "inherit") return undefined;
  const from = override === undefined ? "definition" : "environment";
  try {
    return { ok: true, ref: resolveModel(wanted, { overrides: { aliases: config.aliases } }).ref, from };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { ok: false, message: error.message, from };
  }
}

function leadModel({ model, providerEnv, aliases }: Config): string | undefined {
  try {
    return model === undefined ? defaultModel(providerEnv) : resolveModel(model, { overrides: { aliases } }).ref;
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return undefined;
  }
}

const configuredServers = ({ mcpServers }: Config): string[] => [
  ...new Set(
    mcpServers.flatMap(({ value }) => (typeof value === "object" && value !== null ? Object.keys(value) : [])),
  ),
];
