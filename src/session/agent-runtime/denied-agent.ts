import type { DeniedAgent } from "../../agent/index.ts";
import type { AgentDefinition } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { AgentStanding } from "./agent-standing.ts";

export interface DeniedAgentFacts {
  readonly type: string;
  readonly standing: Pick<AgentStanding, "lead" | "isLead">;
  readonly tools: () => readonly Tool[];
}

/** Describes an agent for the texts of its refusals. */
export function deniedAgent(
  { type, standing, tools }: DeniedAgentFacts,
  definitions: readonly AgentDefinition[] = [],
): DeniedAgent {
  const { lead, isLead } = standing;
  const names = tools().map(({ name }) => name);
  const definition = definitions.find(({ name }) => name === type);
  const reads = definition?.permissionMode === "plan" && !names.includes("Edit") && !names.includes("Write");
  const plans = isLead || names.includes("ExitPlanMode");
  return {
    tools: names,
    plan: reads ? "reader" : plans ? "planner" : "subagent",
    type,
    lead,
    isLead,
  };
}
