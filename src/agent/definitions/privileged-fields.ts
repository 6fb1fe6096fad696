import type { AgentDefinition } from "../../protocol/index.ts";
import { agentServers } from "./agent-servers.ts";

export interface PrivilegedField {
  readonly key: "hooks" | "mcpServers" | "permissionMode" | "model" | "memory" | "command";
  readonly value: unknown;
}

const looseModes = new Set(["acceptEdits", "bypassPermissions"]);

/**
 * Returns the fields that run something or ask for more rights. These run code: hooks, inline MCP servers, a command, a
 * scripted model. These ask for more: a loose permission mode, and user memory, which agents of other projects read.
 * All other fields are text or only restrict the agent.
 */
export function privilegedFields(definition: AgentDefinition): readonly PrivilegedField[] {
  const { hooks, mcpServers, permissionMode, model, memory, command } = definition;
  const privileged = Object.keys(agentServers(definition).inline).length > 0;
  return [
    ...(hooks === undefined ? [] : [{ key: "hooks", value: hooks } as const]),
    ...(privileged ? [{ key: "mcpServers", value: mcpServers } as const] : []),
    ...(permissionMode && looseModes.has(permissionMode)
      ? [{ key: "permissionMode", value: permissionMode } as const]
      : []),
    ...(model?.trim().startsWith("scripted/") ? [{ key: "model", value: model } as const] : []),
    ...(command === undefined ? [] : [{ key: "command", value: command } as const]),
    ...(memory === "user" ? [{ key: "memory", value: memory } as const] : []),
  ];
}

export function withoutFields(definition: AgentDefinition, keys: readonly PrivilegedField["key"][]): AgentDefinition {
  const kept = Object.entries(definition).filter(([key]) => !keys.some((left) => left === key));
  return Object.fromEntries(kept) as unknown as AgentDefinition;
}
