import type { Message } from "../protocol/index.ts";

/** Returns the error that a provider would report for a conversation, in its wording, so that tests find such bugs. */
export function conversationFault(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  for (const [index, message] of messages.entries()) {
    if (message.parts.length === 0) return `messages.${index}: content must not be empty`;
    if (message.parts.some((part) => part.type === "text" && part.text === "")) {
      return `messages.${index}: text content blocks must be non-empty`;
    }
    const calls = callIds(messages[index - 1]);
    const results = resultIds(message);
    const unasked = results.find((id) => !calls.includes(id));
    if (unasked !== undefined)
      return `messages.${index}: unexpected tool result ${unasked}: no such tool call in the previous message`;
    const twice = results.find((id, place) => results.indexOf(id) !== place);
    if (twice !== undefined) return `messages.${index}: more than one result for tool call ${twice}`;
    const open = callIds(message).filter((id) => !resultIds(messages[index + 1]).includes(id));
    if (open.length > 0) return `messages.${index}: tool calls without results right after: ${open.join(", ")}`;
  }
  return undefined;
}

const callIds = (message: Message | undefined): string[] =>
  message?.role === "assistant"
    ? message.parts.flatMap((part) => (part.type === "tool_call" ? [part.callId] : []))
    : [];

const resultIds = (message: Message | undefined): string[] =>
  message?.role === "user" ? message.parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : [])) : [];
