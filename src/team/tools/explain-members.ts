import { memberIsNoJob } from "../../agent/index.ts";
import { sameName } from "../../platform/index.ts";
import type { AgentId, Member } from "../../protocol/index.ts";
import { failedResult, type Tool } from "../../tool/index.ts";

export interface ExplainMembersPorts {
  /** The id of the member's agent. Its subagents cannot write to members. */
  self(): AgentId;
  memberName(): string;
  /** All current and former members, including this one. */
  members(): readonly Member[];
}

/**
 * Returns a function that makes TaskStop and TaskOutput explain members: models take a teammate for a background job.
 * The same tool always gives the same result.
 */
export function explainMembers(ports: ExplainMembersPorts): (tool: Tool) => Tool {
  const adapted = new WeakMap<Tool, Tool>();
  const explaining = (tool: Tool): Tool => ({
    ...tool,
    async execute(input, context) {
      const result = await tool.execute(input, context);
      const member = result.outcome === "failed" && context.agent.id === ports.self() ? memberIn(input) : undefined;
      return member ? failedResult(memberIsNoJob(member, ports.memberName())) : result;
    },
  });
  const memberIn = (input: unknown): Member | undefined => {
    const members = ports.members();
    const id = typeof input === "object" && input !== null && "task_id" in input ? String(input.task_id) : "";
    const same = sameName(
      id,
      members.map(({ name }) => name),
    );
    return members.findLast(({ name, agentId }) => agentId === id || name === same);
  };
  return (tool) => {
    if (!jobTools.has(tool.name)) return tool;
    const known = adapted.get(tool) ?? explaining(tool);
    adapted.set(tool, known);
    return known;
  };
}

const jobTools = new Set(["TaskOutput", "TaskStop"]);
