import type { AgentDefinition } from "../../protocol/index.ts";

export interface AgentServers {
  /** Servers of the session whose tools the agent gets. */
  readonly named: readonly string[];
  /** The agent's own servers by name, as written in the definition. */
  readonly inline: Readonly<Record<string, unknown>>;
}

/** The servers of a definition. A name without a configuration means a server of the session. */
export function agentServers({ mcpServers = [] }: Pick<AgentDefinition, "mcpServers">): AgentServers {
  const list = Array.isArray(mcpServers) ? mcpServers : [mcpServers];
  const entries = list.flatMap((each): (readonly [string, unknown])[] =>
    typeof each === "string" ? [[each, null]] : Object.entries(each),
  );
  const isName = ([, value]: readonly [string, unknown]) => value === null || value === undefined;
  const inline = Object.fromEntries(entries.filter((entry) => !isName(entry)));
  const named = entries.filter(isName).map(([name]) => name);
  return { named: [...new Set(named)].filter((name) => !Object.hasOwn(inline, name)), inline };
}
