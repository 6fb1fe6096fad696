import type { AgentId, AgentPath } from "../../protocol/index.ts";

/** The name it was given when it was started; undefined where its path has one that was made up. */
export function subagentName(
  id: AgentId,
  { path, agentType }: { path: AgentPath; agentType: string },
): string | undefined {
  const last = path.split("/").at(-1);
  return last === `${agentType}-${id.slice(-6)}` ? undefined : last;
}
