import type { ModelRequest } from "../protocol/index.ts";
import type { Conversation } from "./conversation.ts";

/**
 * As many tokens as a request of this conversation can have: the provider's own count where there is one, and one for
 * each character said since. Far more than are likely, as a budget needs it.
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

/** What a request says beside the conversation, such as that a summary is wanted. */
const promptOverhead = 1_000;
