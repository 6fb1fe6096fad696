import * as z from "zod";
import { agentLaunched } from "../../agent/index.ts";
import { nearestName } from "../../platform/index.ts";
import { type AgentId, TroupeError } from "../../protocol/index.ts";
import {
  defineTool,
  failedResult,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../tool/index.ts";
import type { Child } from "../child.ts";
import type { Children } from "../children.ts";
import { sendOn } from "../send-on.ts";

const SendMessageInput = z.strictObject({
  to: z.string().min(1).max(100).describe("The name or the agent id of an agent you have started"),
  message: z.string().min(1).describe("What to say; it knows what it has done, not what you have done since"),
  summary: z.string().max(200).optional().describe("Five to ten words"),
});
type SendMessageInput = z.infer<typeof SendMessageInput>;

/** Speaks to an agent that was started before: one at work hears it between two turns, one that has finished goes on from where it was. */
export function createSendMessageTool({ children }: { children: Children }): Tool {
  return defineTool<SendMessageInput>({
    name: "SendMessage",
    description: `Says something to an agent that you have started with Agent, by its name or id. An agent at work hears it between two of its turns. One that has finished goes on from where it was, in the background, with all it knows: cheaper than starting a new one that has to find everything out again.`,
    input: SendMessageInput,
    access: "run",
    subject: () => ({ kind: "own" }),
    title: (input) => `SendMessage to ${input.to}: ${input.summary ?? input.message.slice(0, 80)}`,
    async execute(input, context) {
      const child = await children.find(input.to);
      // Who calls is asked, not whose tool it is: a fork has its parent's, and its parent's agents are not its own.
      const self = context.agent.id;
      if (!child || child.parent !== self) return failedResult(unknown(input.to, children, self));
      try {
        return await say(child, input, { children, context });
      } catch (error) {
        if (TroupeError.is(error)) return failedResult(error.message);
        throw error;
      }
    },
  });
}

async function say(
  child: Child,
  { to, message, summary }: SendMessageInput,
  { children, context }: { children: Children; context: ToolContext },
): Promise<ToolResult> {
  const { background, signal } = context;
  const parts = [{ type: "text" as const, text: message }];
  const description = summary ?? child.description;
  const kept = await sendOn(child, { parts, by: "agent", description }, { children, background, signal });
  if (kept === "heard") return textResult(`${to} is at work and will hear it after its current turn.`);
  return textResult(agentLaunched({ ...kept, why: `${to} had finished and goes on from where it was.` }));
}

function unknown(to: string, children: Children, self: AgentId): string {
  const known = children.all().filter((child) => child.parent === self);
  const names = known.map((child) => child.name ?? child.id);
  const near = nearestName(to, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const list = names.length === 0 ? "You have started none." : `You have started: ${names.slice(-30).join(", ")}.`;
  return `There is no agent ${JSON.stringify(to)}.${hint} ${list}`;
}
