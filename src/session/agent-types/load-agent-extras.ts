import type { AgentDefinition } from "../../protocol/index.ts";
import { openAgentMemory } from "./agent-memory.ts";
import { type AgentExtras, createAgentExtras } from "./agent-extras.ts";
import type { AgentServersOptions } from "../mcp/agent-servers.ts";
import type { CommandCatalog } from "../slash-commands/command-catalog.ts";

export interface LoadAgentExtrasOptions extends AgentServersOptions {
  readonly slash: CommandCatalog;
}

/** Loads the extras of an agent's definition. Loads no MCP code if the definition names no servers. */
export async function loadAgentExtras(
  definition: AgentDefinition,
  options: LoadAgentExtrasOptions,
): Promise<AgentExtras> {
  const { mcpServers, requiredMcpServers = [] } = definition;
  const memory = await openAgentMemory(definition, options.config);
  const servers =
    mcpServers === undefined && requiredMcpServers.length === 0
      ? undefined
      : await (await import("../mcp/agent-servers.ts")).openAgentServers(definition, options);
  return createAgentExtras(definition, { servers, memory, slash: options.slash });
}
