import { agentLaunched } from "../../agent/index.ts";
import { nearestName, sameName } from "../../platform/index.ts";
import type { AgentId } from "../../protocol/index.ts";
import { anyTool, textResult, type ToolContext, type ToolResult } from "../../tool/index.ts";
import type { Subagent } from "../subagents/subagent.ts";
import type { SubagentRegistry } from "../subagents/subagent-registry.ts";
import { resumeSubagent } from "../subagents/resume-subagent.ts";

export interface SubagentMessage {
  /** The name or id that the caller used. */
  readonly to: string;
  readonly message: string;
  readonly summary?: string | undefined;
}

/** Returns the agent with this name or id if the caller started it. Ignores the case of a name that only one has. */
export async function ownSubagent(
  to: string,
  subagents: SubagentRegistry,
  self: AgentId,
): Promise<Subagent | undefined> {
  const subagent = await subagents.find(sameName(to, subagents.names()) ?? to);
  return subagent?.parent === self ? subagent : undefined;
}

/** The names by which the caller can reach the agents that it started. */
export const ownSubagents = (subagents: SubagentRegistry, self: AgentId): readonly string[] =>
  subagents
    .all()
    .filter(({ parent }) => parent === self)
    .map(({ name, id }) => name ?? id);

/**
 * Sends a message to an agent. A working agent reads it between two turns; a finished one resumes in the background.
 */
export async function messageSubagent(
  subagent: Subagent,
  { to, message, summary }: SubagentMessage,
  { subagents, context }: { subagents: SubagentRegistry; context: ToolContext },
): Promise<ToolResult> {
  const { background, signal } = context;
  const parts = [{ type: "text" as const, text: message }];
  const description = summary ?? subagent.description;
  // The agent may have to wait for a slot, possibly for the caller's own.
  const reclaimSlot = await subagents.lendSlotOf(context.agent.id);
  let backgroundRun: Awaited<ReturnType<typeof resumeSubagent>>;
  try {
    backgroundRun = await resumeSubagent(
      subagent,
      { parts, by: "agent", description },
      { subagents, background, signal },
    );
  } finally {
    await reclaimSlot(signal);
  }
  if (backgroundRun === "heard") return textResult(`${to} is working and reads it after its current turn.`);
  const note = `${to} was not working. It now continues with all it knows.`;
  return textResult(agentLaunched({ ...backgroundRun, note }, context.agent.tools ?? anyTool));
}

export function didYouMean(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}

/** The error for an unknown name if the caller can reach only its own agents. */
export function unknownSubagent(to: string, names: readonly string[]): string {
  const list = names.length === 0 ? "You have not started any." : `You have started: ${names.slice(-30).join(", ")}.`;
  return `There is no agent ${JSON.stringify(to)}.${didYouMean(to, names)} ${list}`;
}
