import type { ModelAnswer } from "../protocol/index.ts";

/** No summary has to be longer than this. */
const enough = 200;
/** A summary may be this many times shorter than the text that it replaces. */
const shortest = 400;

const refusal =
  /^(?:i(?:'|’)?m sorry|i am sorry|sorry|i can(?:'|’|no)?t|i cannot|i(?:'|’)?m unable|i am unable|as an ai)\b/i;
const onlyDone =
  /^[^.!?\n]*\b(?:is|are|was|were|has been|have been) (?:now )?(?:complete|completed|done|finished)[.!]?$/i;

/** Why an answer is not usable as a summary of a conversation of `replaced` characters. Undefined if it is. */
export function judgeSummary({ parts, stopReason }: ModelAnswer, replaced: number): string | undefined {
  const text = summaryText({ parts });
  if (stopReason === "refusal") return "it was a refusal";
  if (parts.some((part) => part.type === "tool_call")) return "it called a tool";
  if (text === "") return "it was empty";
  if (text.length < 300 && refusal.test(text)) return "it was a refusal";
  if (onlyDone.test(text)) return "it says only that something is done";
  if (text.length < Math.min(enough, replaced / shortest))
    return `it has ${text.length} characters for a conversation of ${replaced}`;
  return undefined;
}

export const summaryText = ({ parts }: Pick<ModelAnswer, "parts">): string =>
  parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .trim();
