import { inputText, pieces } from "../model/scripted/index.ts";
import type { AnswerPart } from "../protocol/index.ts";
import { parseAnthropicRequest } from "./anthropic-request.ts";
import type { Frame } from "./frame.ts";
import type { Wire, WireAnswer } from "./wire.ts";

/** `POST /v1/messages`, as the Anthropic API documents it. */
export const anthropicWire: Wire = {
  parse: parseAnthropicRequest,
  usage: (tokens) => tokens,
  frames,
  whole: ({ id, request, reply, usage }) => ({
    ...head(id, request.model),
    content: reply.parts.map((part) => contentOf(part)),
    stop_reason: reply.stopReason,
    usage: { ...usageOf(usage), output_tokens: usage.outputTokens },
  }),
  error: ({ status, message }) => ({
    type: "error",
    error: { type: errorType(status), message },
    request_id: "req_scripted",
  }),
  errorFrame: ({ status, message }) => ({
    event: "error",
    data: { type: "error", error: { type: errorType(status), message } },
  }),
  unknownFrame: (padding) => ({ event: "future_event", data: { type: "future_event", index: 0, padding } }),
};

function frames({ id, request, reply, usage }: WireAnswer): Frame[] {
  const message = {
    ...head(id, request.model),
    content: [],
    stop_reason: null,
    usage: { ...usageOf(usage), output_tokens: 1 },
  };
  return [
    frame("message_start", { message }),
    frame("ping", {}),
    ...reply.parts.flatMap((part, index) => [
      frame("content_block_start", { index, content_block: emptyContentOf(part) }),
      ...deltasOf(part, reply.chunk).map(
        (delta): Frame => ({ ...frame("content_block_delta", { index, delta }), delta: true }),
      ),
      frame("content_block_stop", { index }),
    ]),
    frame("message_delta", {
      delta: { stop_reason: reply.stopReason, stop_sequence: null },
      usage: { ...usageOf(usage), output_tokens: usage.outputTokens },
    }),
    { ...frame("message_stop", {}), stop: true },
  ];
}

const frame = (type: string, rest: object): Frame => ({ event: type, data: { type, ...rest } });

const head = (id: string, model: string) => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model,
  stop_sequence: null,
});

const usageOf = (usage: WireAnswer["usage"]) => ({
  input_tokens: usage.inputTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
});

function contentOf(part: AnswerPart): object {
  if (part.type === "text") return { type: "text", text: part.text, citations: null };
  if (part.type === "tool_call") return { type: "tool_use", id: part.callId, name: part.name, input: part.input ?? {} };
  if (part.redacted !== undefined) return { type: "redacted_thinking", data: part.redacted };
  return { type: "thinking", thinking: part.text, signature: part.signature ?? scriptedSignature };
}

function emptyContentOf(part: AnswerPart): object {
  if (part.type === "text") return contentOf({ ...part, text: "" });
  if (part.type === "tool_call") return contentOf({ ...part, input: {} });
  return part.redacted === undefined ? { type: "thinking", thinking: "", signature: "" } : contentOf(part);
}

function deltasOf(part: AnswerPart, chunk: number): object[] {
  if (part.type === "text") return [...pieces(part.text, chunk)].map((text) => ({ type: "text_delta", text }));
  if (part.type === "tool_call") {
    const json = [...pieces(inputText(part.input), chunk)];
    return ["", ...json].map((partial_json) => ({ type: "input_json_delta", partial_json }));
  }
  if (part.redacted !== undefined) return [];
  return [
    ...[...pieces(part.text, chunk)].map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: part.signature ?? scriptedSignature },
  ];
}

/** The provider signs all thinking, so the thinking of a script is signed too. */
const scriptedSignature = "scripted";

function errorType(status: number): string {
  const types: Record<number, string> = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
  };
  return types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}
