export const sse = (chunks: readonly object[], tail = "data: [DONE]\n\n") =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + tail;

const frame = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5.6-terra" };

export const delta = (change: object, finish_reason: string | null = null) => ({
  ...frame,
  choices: [{ index: 0, delta: change, finish_reason }],
});
export const finish = (reason: string) => delta({}, reason);
export const usageChunk = {
  ...frame,
  choices: [],
  usage: {
    prompt_tokens: 1000,
    completion_tokens: 42,
    total_tokens: 1042,
    prompt_tokens_details: { cached_tokens: 900 },
  },
};
export const callStart = (index: number, id: string, name: string) =>
  delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
export const callMore = (index: number, json: string) =>
  delta({ tool_calls: [{ index, function: { arguments: json } }] });

export const wholeAnswer: readonly object[] = [
  delta({ role: "assistant", content: "" }),
  delta({ reasoning_content: "Hm … 🤔" }),
  delta({ content: "Größe: " }),
  delta({ content: "日本語 👩‍🚀" }),
  callStart(0, "call_a", "Read"),
  callMore(0, '{"path":"é'),
  callStart(1, "call_b", "List"),
  callMore(0, '.txt"}'),
  callMore(1, "{}"),
  finish("tool_calls"),
  usageChunk,
];

export const shortAnswer = (text: string): readonly object[] => [delta({ content: text }), finish("stop"), usageChunk];
