import type { Agent } from "../../agent/index.ts";
import type { Ack, ContentPart } from "../../protocol/index.ts";
import { type ExpandPorts, expandPrompt, filesNamedIn } from "./expand-prompt.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { Policy } from "../permissions/permission-policy.ts";
import type { SlashCommand } from "./slash-commands.ts";

export interface SubmitPromptPorts extends Omit<ExpandPorts, "commands"> {
  readonly lead: Agent;
  /** Called for each prompt, because the commands of MCP servers can change. */
  readonly commands: () => readonly SlashCommand[];
  /** True if the project's own files may grant permissions. */
  readonly isTrusted: boolean;
  /** Text to add to the prompt. */
  readonly reminders: () => readonly ContentPart[];
  readonly hooks?: Pick<SessionHooks, "submitted"> | undefined;
  readonly policy: Pick<Policy, "grant" | "endGrants">;
  /** Uses this model, or the default, until the next prompt. Rejects if there is no such model. */
  readonly setTemporaryModel: (ref: string | undefined) => Promise<void>;
  readonly compact: (instructions: string | undefined) => Promise<Ack>;
}

/** The only entry point for a user's prompt, for all frontends. */
export async function submitPrompt(content: string | readonly ContentPart[], ports: SubmitPromptPorts): Promise<Ack> {
  const { lead } = ports;
  const contentParts: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  const expansion = await expandPrompt(contentParts, { ...ports, commands: ports.commands() });
  switch (expansion.kind) {
    case "refused":
      return { ok: false, code: "prompt", message: expansion.message };
    case "compact":
      return ports.compact(expansion.instructions);
    case "help":
      await lead.record({ type: "notice.raised", level: "info", code: "command_output", message: expansion.text });
      return { ok: true };
    case "plain":
      return admit([...contentParts, ...(await filesNamedIn(contentParts, ports))], undefined, ports);
    case "expanded":
      return admit(expansion.parts, expansion.command, ports);
  }
}

async function admit(
  parts: readonly ContentPart[],
  command: SlashCommand | undefined,
  ports: SubmitPromptPorts,
): Promise<Ack> {
  const { lead } = ports;
  const submitted = (await ports.hooks?.submitted(parts)) ?? { parts };
  if ("blocked" in submitted) return { ok: false, code: "blocked_by_hook", message: submitted.blocked };
  await applyCommandOptions(command, ports);
  await lead.admit("user", [...submitted.parts, ...ports.reminders()]);
  lead.wake();
  return { ok: true };
}

/** Applies a command's allowed tools and model until the next prompt. */
async function applyCommandOptions(command: SlashCommand | undefined, ports: SubmitPromptPorts): Promise<void> {
  const { allowedTools = [], model } = command ?? {};
  const isTrustedCommand = command?.owner === "user" || ports.isTrusted;
  await ports.setTemporaryModel(isTrustedCommand ? model : undefined);
  ports.policy.endGrants();
  const [problem] = ports.policy.grant(isTrustedCommand ? allowedTools : []);
  if (problem === undefined) return;
  const message = `${command?.source}: an entry of allowed-tools is ignored: ${problem}`;
  await ports.lead.record({ type: "notice.raised", level: "warning", code: "command", message });
}
