import { inputText, pieces } from "../model/scripted/index.ts";
import type { AnswerPart } from "../protocol/index.ts";
import type { Frame } from "./frame.ts";
import { parseOpenaiRequest } from "./openai-request.ts";
import type { Wire, WireAnswer } from "./wire.ts";

/**
 * `POST /v1/chat/completions`, as the OpenAI API documents it. Thinking is sent as `reasoning_content`, as local
 * servers do.
 */
export const openaiWire: Wire = {
  parse: parseOpenaiRequest,
  // Prefixes are cached automatically in steps of 128 tokens, and cache writes are not billed separately.
  usage({ inputTokens, cacheReadTokens, cacheWriteTokens }) {
    const read = Math.floor(cacheReadTokens / 128) * 128;
    return {
      inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens - read,
      cacheReadTokens: read,
      cacheWriteTokens: 0,
    };
  },
  frames,
  whole: ({ id, request, reply, usage, at }) => ({
    ...head({ id, model: request.model, at }, "chat.completion"),
    choices: [
      { index: 0, message: messageOf(reply.parts), logprobs: null, finish_reason: finishReasons[reply.stopReason] },
    ],
    usage: usageOf(usage),
  }),
  error: ({ status, message, overflow }) => ({
    error: { message, type: errorType(status), param: null, code: overflow ? "context_length_exceeded" : null },
  }),
  errorFrame: ({ status, message }) => ({
    data: { error: { message, type: errorType(status), param: null, code: null } },
  }),
  unknownFrame: (padding) => ({ data: { id: "future", object: "future.event", choices: [], padding } }),
};

const finishReasons = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
} as const;

function frames({ id, request, reply, usage, at }: WireAnswer): Frame[] {
  const { includeUsage = false } = request;
  const base = {
    ...head({ id, model: request.model, at }, "chat.completion.chunk"),
    ...(includeUsage && { usage: null }),
  };
  const chunk = (delta: object, finish: string | null = null): Frame => ({
    data: { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...deltasOf(reply.parts, reply.chunk).map((delta): Frame => ({ ...chunk(delta), delta: true })),
    { ...chunk({}, finishReasons[reply.stopReason]), stop: true },
    ...(includeUsage ? [{ data: { ...base, choices: [], usage: usageOf(usage) } }] : []),
    { data: "[DONE]", stop: true },
  ];
}

function deltasOf(parts: readonly AnswerPart[], chunk: number): object[] {
  let index = -1;
  return parts.flatMap((part): object[] => {
    if (part.type === "text") return [...pieces(part.text, chunk)].map((content) => ({ content }));
    if (part.type === "thinking") return [...pieces(part.text, chunk)].map((text) => ({ reasoning_content: text }));
    index += 1;
    const call = { index, id: part.callId, type: "function", function: { name: part.name, arguments: "" } };
    const place = index;
    return [
      { tool_calls: [call] },
      ...[...pieces(inputText(part.input), chunk)].map((json) => ({
        tool_calls: [{ index: place, function: { arguments: json } }],
      })),
    ];
  });
}

function messageOf(parts: readonly AnswerPart[]): object {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const thinking = parts.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
  const calls = parts.flatMap((part) =>
    part.type === "tool_call"
      ? [{ id: part.callId, type: "function", function: { name: part.name, arguments: inputText(part.input) } }]
      : [],
  );
  return {
    role: "assistant",
    content: text.length > 0 ? text.join("") : null,
    refusal: null,
    ...(thinking.length > 0 && { reasoning_content: thinking.join("") }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

const head = ({ id, model, at }: { id: string; model: string; at: number }, object: string) => ({
  id: `chatcmpl-${id}`,
  object,
  created: Math.floor(at / 1000),
  model,
});

function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: WireAnswer["usage"]): object {
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
  };
}

function errorType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 429) return "rate_limit_exceeded";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
