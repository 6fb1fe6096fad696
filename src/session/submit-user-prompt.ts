import type { Agent } from "../agent/index.ts";
import type { Ack, Command } from "../protocol/index.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import type { SlashCommand } from "./slash-commands/slash-commands.ts";
import { submitPrompt } from "./slash-commands/submit-prompt.ts";

/** Gives a prompt of the user to the session's own agent. */
export async function submitUserPrompt(
  content: Extract<Command, { type: "prompt" }>["content"],
  runtime: SessionRuntime,
): Promise<Ack> {
  const { own, context } = runtime;
  const { mcp, slash, tools } = context.extensions;
  const { agent: lead, hooks, policy, plan } = own;
  await mcp?.beforePrompt(content);
  const read = tools().find((tool) => tool.name === "Read");
  return submitPrompt(content, {
    lead,
    hooks,
    policy,
    cwd: own.cwd(),
    commands: () => sessionSlashCommands(runtime),
    userHome: slash.userHome,
    isTrusted: slash.isTrusted,
    reminders: plan.reminders,
    canRead: async (path) => !!read && (await policy.decide(read, { file_path: path })).behavior === "allow",
    setTemporaryModel: own.setTemporaryModel,
    compact: (instructions) => compactLead(lead, instructions),
  });
}

/** The commands of the project and the user, and those of MCP servers. */
export const sessionSlashCommands = ({ context: { extensions } }: SessionRuntime): readonly SlashCommand[] => [
  ...extensions.slash.commands,
  ...(extensions.mcp?.commands() ?? []),
];

/** Runs the command `compact` and the slash command `/compact`. */
export async function compactLead(lead: Agent, instructions: string | undefined): Promise<Ack> {
  const { ok, message } = await lead.compact(instructions);
  return ok ? { ok: true } : { ok: false, code: "not_compacted", message: message ?? "compaction failed" };
}
