import type { Agent } from "../agent/index.ts";
import { type Ack, type ContentPart, TroupeError } from "../protocol/index.ts";
import { type ExpandPorts, expandPrompt } from "./expand-prompt.ts";
import type { SlashCommand } from "./slash-commands.ts";

export interface SayPorts extends Omit<ExpandPorts, "commands"> {
  readonly lead: Agent;
  /** Asked for each prompt: commands of servers come and go. */
  readonly commands: () => readonly SlashCommand[];
  /** Whether what the project brings along may loosen anything. */
  readonly isTrusted: boolean;
  /** What is to be said along with the prompt. */
  readonly news: () => readonly ContentPart[];
  /** Ends what an earlier command was allowed, and allows these rules until the next prompt. */
  readonly grant: (rules: readonly string[]) => void;
  /** Takes this model until the next prompt, or none. Rejects if there is no such model. */
  readonly borrowModel: (ref: string | undefined) => Promise<void>;
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
      await begin(undefined, ports);
      return admit(said, ports);
    case "expanded":
      await begin(expansion.command, ports);
      return admit(expansion.parts, ports);
  }
}

async function admit(parts: readonly ContentPart[], { lead, news }: SayPorts): Promise<Ack> {
  await lead.admit("user", [...parts, ...news()]);
  lead.wake();
  return { ok: true };
}

/** What a command asks for beyond its words: tools without asking, another model. */
async function begin(command: SlashCommand | undefined, ports: SayPorts): Promise<void> {
  const { allowedTools = [], model } = command ?? {};
  const isBelieved = command?.owner === "user" || ports.isTrusted;
  await ports.borrowModel(isBelieved ? model : undefined);
  const problem = grantAll(isBelieved ? allowedTools : [], ports);
  const withheld = [...(allowedTools.length > 0 ? ["allowed-tools"] : []), ...(model === undefined ? [] : ["model"])];
  const message =
    !isBelieved && withheld.length > 0
      ? `${command?.source}: ${withheld.join(" and ")} are not used: this folder is not trusted`
      : problem && `${command?.source}: allowed-tools are not used: ${problem}`;
  if (message) await ports.lead.record({ type: "notice.raised", level: "warning", code: "command", message });
}

/** A rule that means nothing is told; the command itself can do without. */
function grantAll(rules: readonly string[], { grant }: SayPorts): string | undefined {
  try {
    grant(rules);
    return undefined;
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    grant([]);
    return error.message;
  }
}
