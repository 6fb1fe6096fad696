/** Answers as the bytes of an event stream, for each protocol. An answer is `{ text }` or `{ calls: [{ name, input }] }`. */
export const protocols = { "/v1/messages": anthropic, "/v1/responses": responses };

const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

function anthropic(id, { text, calls = [] }) {
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model: "bench", content: [] };
  const usage = { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const blocks = calls.map(({ name, input }, index) => ({
    start: { type: "tool_use", id: `toolu_${id}_${index}`, name, input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  }));
  if (text) blocks.push({ start: { type: "text", text: "" }, delta: { type: "text_delta", text } });
  return [
    event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
    ...blocks.flatMap(({ start, delta }, index) => [
      event("content_block_start", { index, content_block: start }),
      event("content_block_delta", { index, delta }),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: text ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 10 },
    }),
    event("message_stop", {}),
  ].join("");
}

function responses(id, { text, calls = [] }) {
  const output = calls.map(({ name, input }, index) => ({
    id: `fc_${id}_${index}`,
    type: "function_call",
    status: "completed",
    call_id: `call_${id}_${index}`,
    name,
    arguments: JSON.stringify(input),
  }));
  const content = [{ type: "output_text", text, annotations: [] }];
  if (text) output.push({ id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content });
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  };
  const response = { id: `resp_${id}`, object: "response", created_at: 0, model: "bench" };
  return [
    event("response.created", { response: { ...response, status: "in_progress", output: [] } }),
    ...output.map((item, index) => event("response.output_item.done", { output_index: index, item })),
    event("response.completed", { response: { ...response, status: "completed", output, usage } }),
  ].join("");
}
