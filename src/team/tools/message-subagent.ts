import { agentLaunched } from "../../agent/index.ts";
import { nearestName } from "../../platform/index.ts";
import type { AgentId } from "../../protocol/index.ts";
import { textResult, type ToolContext, type ToolResult } from "../../tool/index.ts";
import type { Subagent } from "../subagents/subagent.ts";
import type { SubagentRegistry } from "../subagents/subagent-registry.ts";
import { resumeSubagent } from "../subagents/resume-subagent.ts";

export interface SubagentMessage {
  /** As the caller has named it. */
  readonly to: string;
  readonly message: string;
  readonly summary?: string | undefined;
}

/** The agent of this name or id, if it is one that the caller has started itself. */
export async function ownSubagent(
  to: string,
  subagents: SubagentRegistry,
  self: AgentId,
): Promise<Subagent | undefined> {
  const subagent = await subagents.find(to);
  return subagent?.parent === self ? subagent : undefined;
}

/** By what names the caller can speak to those it has started. */
export const ownSubagents = (subagents: SubagentRegistry, self: AgentId): readonly string[] =>
  subagents
    .all()
    .filter(({ parent }) => parent === self)
    .map(({ name, id }) => name ?? id);

/** Says something to an agent: at work it hears it between two turns, finished it goes on in the background. */
export async function messageSubagent(
  subagent: Subagent,
  { to, message, summary }: SubagentMessage,
  { subagents, context }: { subagents: SubagentRegistry; context: ToolContext },
): Promise<ToolResult> {
  const { background, signal } = context;
  const parts = [{ type: "text" as const, text: message }];
  const description = summary ?? subagent.description;
  // It may have to wait for a place, which may be the caller's own.
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
  if (backgroundRun === "heard") return textResult(`${to} is at work and will hear it after its current turn.`);
  return textResult(agentLaunched({ ...backgroundRun, note: `${to} had finished and goes on from where it was.` }));
}

export function didYouMean(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}

/** Why nobody was spoken to, where one can only speak to agents of one's own. */
export function unknownSubagent(to: string, names: readonly string[]): string {
  const list = names.length === 0 ? "You have started none." : `You have started: ${names.slice(-30).join(", ")}.`;
  return `There is no agent ${JSON.stringify(to)}.${didYouMean(to, names)} ${list}`;
}
