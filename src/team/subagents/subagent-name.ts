import type { AgentId, AgentPath } from "../../protocol/index.ts";

/** Returns the name from the call that started the agent. Undefined if its path has a generated name. */
export function subagentName(
  id: AgentId,
  { path, agentType }: { path: AgentPath; agentType: string },
): string | undefined {
  const last = path.split("/").at(-1);
  return last === `${agentType}-${id.slice(-6)}` ? undefined : last;
}
