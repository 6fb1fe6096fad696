import * as z from "zod";
import { defineTool, failedResult, type Tool } from "../../tool/index.ts";
import type { SubagentRegistry } from "../subagents/subagent-registry.ts";
import { messageSubagent, ownSubagent, ownSubagents, unknownSubagent } from "./message-subagent.ts";
import { toFailedResult } from "./to-failed-result.ts";

const SendMessageInput = z.strictObject({
  to: z.string().min(1).max(100).describe("The name or the id of an agent that you have started"),
  message: z
    .string()
    .min(1)
    .describe("The message. The agent knows what it has done, not what you have done since then"),
  summary: z.string().max(200).optional().describe("Five to ten words"),
});
type SendMessageInput = z.infer<typeof SendMessageInput>;

/** Creates the tool that sends messages to agents that the caller has started. */
export function createSendMessageTool({ subagents }: { subagents: SubagentRegistry }): Tool {
  return defineTool<SendMessageInput>({
    name: "SendMessage",
    description: `Sends a message to an agent that you have started with Agent, by its name or id. A working agent reads it between two of its turns. A finished agent resumes in the background with all it knows: that is cheaper than a new agent, which must find out everything again.`,
    input: SendMessageInput,
    access: "run",
    subject: () => ({ kind: "own" }),
    title: (input) => `SendMessage to ${input.to}: ${input.summary ?? input.message.slice(0, 80)}`,
    execute: (input, context) =>
      toFailedResult(async () => {
        // The caller counts, not the owner of the tool: a fork has its parent's tool, but its parent's agents are not
        // its own.
        const self = context.agent.id;
        const subagent = await ownSubagent(input.to, subagents, self);
        if (!subagent) return failedResult(unknownSubagent(input.to, ownSubagents(subagents, self)));
        return messageSubagent(subagent, input, { subagents, context });
      }),
  });
}
