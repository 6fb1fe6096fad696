import type { Event } from "../../protocol/index.ts";

/**
 * Returns the text that an event adds to the answer, or undefined: the agent's text, the plan it presents (the last
 * output when no user can approve it), and the output of a slash command.
 */
export function answerText(event: Event): string | undefined {
  if (event.type === "notice.raised") return event.code === "command_output" ? event.message : undefined;
  if (event.type !== "turn.ended") return undefined;
  const texts = event.parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return part.type === "tool_call" && part.name === "ExitPlanMode" ? planIn(part.input) : [];
  });
  return texts.length === 0 ? undefined : texts.join("\n");
}

function planIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null || !("plan" in input)) return [];
  return typeof input.plan === "string" && input.plan.trim() !== "" ? [input.plan] : [];
}
