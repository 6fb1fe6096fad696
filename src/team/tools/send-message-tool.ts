import * as z from "zod";
import { defineTool, failedResult, type Tool } from "../../tool/index.ts";
import type { SubagentRegistry } from "../subagents/subagent-registry.ts";
import { messageSubagent, ownSubagent, ownSubagents, unknownSubagent } from "./message-subagent.ts";
import { toFailedResult } from "./to-failed-result.ts";

const SendMessageInput = z.strictObject({
  to: z.string().min(1).max(100).describe("The name or the agent id of an agent you have started"),
  message: z.string().min(1).describe("What to say; it knows what it has done, not what you have done since"),
  summary: z.string().max(200).optional().describe("Five to ten words"),
});
type SendMessageInput = z.infer<typeof SendMessageInput>;

/** Speaks to an agent that was started before: one at work hears it between two turns, one that has finished goes on from where it was. */
export function createSendMessageTool({ subagents }: { subagents: SubagentRegistry }): Tool {
  return defineTool<SendMessageInput>({
    name: "SendMessage",
    description: `Says something to an agent that you have started with Agent, by its name or id. An agent at work hears it between two of its turns. One that has finished goes on from where it was, in the background, with all it knows: cheaper than starting a new one that has to find everything out again.`,
    input: SendMessageInput,
    access: "run",
    subject: () => ({ kind: "own" }),
    title: (input) => `SendMessage to ${input.to}: ${input.summary ?? input.message.slice(0, 80)}`,
    execute: (input, context) =>
      toFailedResult(async () => {
        // Who calls is asked, not whose tool it is: a fork has its parent's, and its parent's agents are not its own.
        const self = context.agent.id;
        const subagent = await ownSubagent(input.to, subagents, self);
        if (!subagent) return failedResult(unknownSubagent(input.to, ownSubagents(subagents, self)));
        return messageSubagent(subagent, input, { subagents, context });
      }),
  });
}
