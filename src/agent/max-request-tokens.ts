import type { ModelRequest } from "../protocol/index.ts";
import type { Conversation } from "./conversation.ts";

/**
 * The maximum number of tokens of a request of this conversation: the provider's count if there is one, plus one for
 * each character added since. A budget needs such an overestimate.
 */
export function maxTokens(
  conversation: Conversation,
  { system, tools }: Pick<ModelRequest, "system" | "tools">,
): number {
  const { tokens, newCharacters } = conversation.size;
  if (tokens > 0) return tokens + newCharacters + promptOverhead;
  const frame = system.reduce((sum, block) => sum + block.length, 0) + JSON.stringify(tools).length;
  return frame + newCharacters + promptOverhead;
}

/** Text that a request adds to the conversation, such as the request for a summary. */
const promptOverhead = 1_000;
