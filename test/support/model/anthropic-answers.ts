type WireEvent = { type: string; [key: string]: unknown };

export const sse = (events: readonly WireEvent[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

export const messageStart = {
  type: "message_start",
  message: {
    id: "msg_01",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, cache_creation_input_tokens: 300, cache_read_input_tokens: 4000, output_tokens: 1 },
  },
};
export const textStart = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
export const textDelta = (text: string, index = 0) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
export const blockStop = (index = 0) => ({ type: "content_block_stop", index });
export const toolStart = (index: number, id: string, name: string) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id, name, input: {} },
});
export const jsonDelta = (index: number, partial_json: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
export const messageDelta = (stop_reason: string | null, output_tokens = 42) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  usage: { input_tokens: 12, cache_creation_input_tokens: 300, cache_read_input_tokens: 4000, output_tokens },
});
export const messageStop = { type: "message_stop" };

/** An answer with every kind of content: thinking, redacted thinking, text beyond ASCII, two calls. */
export const wholeAnswer: readonly WireEvent[] = [
  messageStart,
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm … 🤔" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
  blockStop(0),
  { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "aGlkZGVu" } },
  blockStop(1),
  { ...textStart, index: 2 },
  textDelta("Größe: ", 2),
  textDelta("日本語 👩‍🚀", 2),
  blockStop(2),
  toolStart(3, "toolu_1", "Read"),
  jsonDelta(3, ""),
  jsonDelta(3, '{"file_path":"/tmp/é'),
  jsonDelta(3, '.txt"}'),
  blockStop(3),
  toolStart(4, "toolu_2", "List"),
  blockStop(4),
  messageDelta("tool_use"),
  messageStop,
];

export const shortAnswer = (text: string): readonly WireEvent[] => [
  messageStart,
  textStart,
  textDelta(text),
  blockStop(),
  messageDelta("end_turn"),
  messageStop,
];
