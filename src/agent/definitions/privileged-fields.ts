import type { AgentDefinition } from "../../protocol/index.ts";
import { agentServers } from "./agent-servers.ts";

export interface PrivilegedField {
  readonly key: "hooks" | "mcpServers" | "permissionMode" | "model" | "memory" | "command";
  readonly value: unknown;
}

const looseModes = new Set(["acceptEdits", "bypassPermissions"]);

/**
 * What in a definition runs something or asks for more freedom: hooks, servers that it brings along, a program that runs it, a loose permission mode, a
 * script in a model's place, which is code, and notes in the user's own folder, which agents of other projects read. The rest is
 * words, or only makes the agent narrower.
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

/** The definition without some of its acting fields. */
export function withoutFields(definition: AgentDefinition, keys: readonly PrivilegedField["key"][]): AgentDefinition {
  const kept = Object.entries(definition).filter(([key]) => !keys.some((left) => left === key));
  return Object.fromEntries(kept) as unknown as AgentDefinition;
}
