import type { Envelope, PromptId } from "../../protocol/index.ts";
import type { OpenRequest } from "./team-attention.ts";

/**
 * How far a prompt got in the lead's previous runs. `waiting`: the prompts that the lead has not read. A resumed lead
 * can read a prompt of a previous run before its mail is handled again.
 */
export function seenBefore(
  promptId: PromptId,
  { replayed, waiting }: { readonly replayed: readonly Partial<Envelope>[]; readonly waiting: readonly PromptId[] },
): OpenRequest["seen"] {
  const events = replayed.map(({ event }) => event);
  const read = events.findIndex((event) => event?.type === "prompt.promoted" && event.promptId === promptId);
  if (read !== -1) return events.slice(read).some((event) => event?.type === "turn.ended") ? "had_turn" : "read";
  const isKnown = events.some((event) => event?.type === "prompt.admitted" && event.promptId === promptId);
  return isKnown && !waiting.includes(promptId) ? "read" : "not_read";
}
