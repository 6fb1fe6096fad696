import type { DeniedAgent } from "../../agent/index.ts";
import { type AgentDefinition, leadPath, type AgentPath, teamLead } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";

export interface DeniedAgentFacts {
  readonly path: AgentPath;
  readonly type: string;
  readonly member?: unknown;
  readonly tools: () => readonly Tool[];
}

/** Describes an agent for the texts of its refusals. */
export function deniedAgent(
  { path, type, member, tools }: DeniedAgentFacts,
  definitions: readonly AgentDefinition[] = [],
): DeniedAgent {
  const names = tools().map(({ name }) => name);
  const definition = definitions.find(({ name }) => name === type);
  const reads = definition?.permissionMode === "plan" && !names.includes("Edit") && !names.includes("Write");
  const plans = path === leadPath || names.includes("ExitPlanMode");
  return {
    tools: names,
    plan: reads ? "reader" : plans ? "planner" : "subagent",
    type,
    lead: member === undefined ? undefined : teamLead,
    isLead: path === leadPath && member === undefined,
  };
}
