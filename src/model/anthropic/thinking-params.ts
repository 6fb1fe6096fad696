import type * as Wire from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelRequest } from "../../protocol/index.ts";
import type { ModelFacts } from "../catalog.ts";
import { effortFor } from "../thinking-effort.ts";

/**
 * Newer models accept an effort and reject a budget. Older models accept a budget, which must leave room for the
 * answer. If the request asks for nothing, the model uses its default.
 */
export function thinkingParams(
  { thinkingTokens, maxOutputTokens }: ModelRequest,
  style: ModelFacts["thinking"],
): Pick<Wire.MessageCreateParamsStreaming, "thinking" | "output_config"> {
  if (!thinkingTokens || style === "none") return {};
  if (style === "effort")
    return {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: effortFor(thinkingTokens) },
    };
  const budget = Math.min(thinkingTokens, maxOutputTokens - 1);
  return budget < smallestBudget ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

const smallestBudget = 1024;
