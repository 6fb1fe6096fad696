import type { Agent } from "../agent/index.ts";
import type { Ack, ContentPart } from "../protocol/index.ts";
import { type ExpandPorts, expandPrompt } from "./expand-prompt.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { Policy } from "./policy.ts";
import type { SlashCommand } from "./slash-commands.ts";

export interface SayPorts extends Omit<ExpandPorts, "commands"> {
  readonly lead: Agent;
  /** Asked for each prompt: commands of servers come and go. */
  readonly commands: () => readonly SlashCommand[];
  /** Whether what the project brings along may loosen anything. */
  readonly isTrusted: boolean;
  /** What is to be said along with the prompt. */
  readonly news: () => readonly ContentPart[];
  readonly hooks?: Pick<SessionHooks, "submitted"> | undefined;
  readonly policy: Pick<Policy, "grant" | "endGrants">;
  /** Takes this model until the next prompt, or none. Rejects if there is no such model. */
  readonly setTemporaryModel: (ref: string | undefined) => Promise<void>;
  readonly compact: (instructions: string | undefined) => Promise<Ack>;
}

/** The one place where a prompt of the user's enters a session, from whatever face. */
export async function sayPrompt(content: string | readonly ContentPart[], ports: SayPorts): Promise<Ack> {
  const { lead } = ports;
  const said: readonly ContentPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const expansion = await expandPrompt(said, { ...ports, commands: ports.commands() });
  switch (expansion.kind) {
    case "refused":
      return { ok: false, code: "prompt", message: expansion.message };
    case "compact":
      return ports.compact(expansion.instructions);
    case "help":
      await lead.record({ type: "notice.raised", level: "info", code: "command_output", message: expansion.text });
      return { ok: true };
    case "plain":
      return admit(said, undefined, ports);
    case "expanded":
      return admit(expansion.parts, expansion.command, ports);
  }
}

async function admit(parts: readonly ContentPart[], command: SlashCommand | undefined, ports: SayPorts): Promise<Ack> {
  const { lead } = ports;
  const submitted = (await ports.hooks?.submitted(parts)) ?? { parts };
  if ("blocked" in submitted) return { ok: false, code: "blocked_by_hook", message: submitted.blocked };
  await begin(command, ports);
  await lead.admit("user", [...submitted.parts, ...ports.news()]);
  lead.wake();
  return { ok: true };
}

/** What a command asks for beyond its words, until the next prompt: tools without asking, another model. */
async function begin(command: SlashCommand | undefined, ports: SayPorts): Promise<void> {
  const { allowedTools = [], model } = command ?? {};
  const isBelieved = command?.owner === "user" || ports.isTrusted;
  await ports.setTemporaryModel(isBelieved ? model : undefined);
  ports.policy.endGrants();
  const [problem] = ports.policy.grant(isBelieved ? allowedTools : []);
  if (problem === undefined) return;
  const message = `${command?.source}: one of its allowed-tools is not used: ${problem}`;
  await ports.lead.record({ type: "notice.raised", level: "warning", code: "command", message });
}
