import { agentLaunched } from "../../agent/index.ts";
import { nearestName } from "../../platform/index.ts";
import type { AgentId } from "../../protocol/index.ts";
import { textResult, type ToolContext, type ToolResult } from "../../tool/index.ts";
import type { Child } from "../child.ts";
import type { Children } from "../children.ts";
import { sendOn } from "../send-on.ts";

export interface ChildMessage {
  /** As the caller has named it. */
  readonly to: string;
  readonly message: string;
  readonly summary?: string | undefined;
}

/** The agent of this name or id, if it is one that the caller has started itself. */
export async function ownChild(to: string, children: Children, self: AgentId): Promise<Child | undefined> {
  const child = await children.find(to);
  return child?.parent === self ? child : undefined;
}

/** By what names the caller can speak to those it has started. */
export const ownChildren = (children: Children, self: AgentId): readonly string[] =>
  children
    .all()
    .filter(({ parent }) => parent === self)
    .map(({ name, id }) => name ?? id);

/** Says something to an agent: at work it hears it between two turns, finished it goes on in the background. */
export async function messageChild(
  child: Child,
  { to, message, summary }: ChildMessage,
  { children, context }: { children: Children; context: ToolContext },
): Promise<ToolResult> {
  const { background, signal } = context;
  const parts = [{ type: "text" as const, text: message }];
  const description = summary ?? child.description;
  // It may have to wait for a place, which may be the caller's own.
  const waited = await children.lendSlotOf(context.agent.id);
  let kept: Awaited<ReturnType<typeof sendOn>>;
  try {
    kept = await sendOn(child, { parts, by: "agent", description }, { children, background, signal });
  } finally {
    await waited(signal);
  }
  if (kept === "heard") return textResult(`${to} is at work and will hear it after its current turn.`);
  return textResult(agentLaunched({ ...kept, why: `${to} had finished and goes on from where it was.` }));
}

export function didYouMean(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}

/** Why nobody was spoken to, where one can only speak to agents of one's own. */
export function unknownChild(to: string, names: readonly string[]): string {
  const list = names.length === 0 ? "You have started none." : `You have started: ${names.slice(-30).join(", ")}.`;
  return `There is no agent ${JSON.stringify(to)}.${didYouMean(to, names)} ${list}`;
}
