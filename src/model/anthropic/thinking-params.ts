import type * as Wire from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message, ModelRequest } from "../../protocol/index.ts";
import type { ModelFacts } from "../catalog.ts";
import { thinkingTokensOf } from "../thinking-effort.ts";

/**
 * Newer models accept an effort and reject a budget. Older models accept a budget, which must leave room for the
 * answer. If the request asks for nothing, the model uses its default.
 */
export function thinkingParams(
  { thinking, maxOutputTokens, messages }: ModelRequest,
  style: ModelFacts["thinking"],
): Pick<Wire.MessageCreateParamsStreaming, "thinking" | "output_config"> {
  if (!thinking || thinking.effort === "off" || style === "none") return {};
  if (style === "effort")
    return {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: thinking.effort },
    };
  const budget = Math.min(thinkingTokensOf(thinking), maxOutputTokens - 1);
  if (budget < smallestBudget || answersWithoutThinking(messages)) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

const smallestBudget = 1024;

/**
 * True if the results of calls follow an answer without signed thinking. The provider rejects thinking in the middle of
 * such an answer, for example after the model or the effort was changed.
 */
function answersWithoutThinking(messages: readonly Message[]): boolean {
  if (!messages.at(-1)?.parts.some(({ type }) => type === "tool_result")) return false;
  const answer = messages.findLast(({ role }) => role === "assistant");
  return !answer?.parts.some(
    (part) => part.type === "thinking" && (part.signature !== undefined || part.redacted !== undefined),
  );
}
