import * as z from "zod";
import { cacheTtlMs, promptBlock } from "../model/scripted/index.ts";
import { type CallId, type ContentPart, type Message, parseJson } from "../protocol/index.ts";
import { conversationFault } from "./conversation-fault.ts";
import type { WireRefusal, WireRequest } from "./wire.ts";

const ContentItem = z.looseObject({ type: z.string(), text: z.string().optional() });
const Content = z.union([z.string(), z.array(ContentItem)]).nullish();
const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const WireMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: Content,
  tool_calls: z.array(ToolCall).optional(),
  tool_call_id: z.string().optional(),
});
type WireMessage = z.infer<typeof WireMessage>;
const Tool = z.looseObject({ function: z.looseObject({ name: z.string(), description: z.string().optional() }) });
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  tools: z.array(Tool).optional(),
  messages: z.array(WireMessage).min(1),
});

/** Parses the body of `POST /v1/chat/completions` and rejects what the API would reject. */
export function parseOpenaiRequest(body: unknown): WireRequest | WireRefusal {
  const parsed = Body.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { refusal: `Invalid value for '${issue?.path.join(".") ?? ""}': ${issue?.message ?? "invalid"}` };
  }
  const { model, stream, stream_options, tools = [], messages, ...limits } = parsed.data;
  const converted = joinResults(messages.filter((message) => !isSystem(message)).map(messageFrom));
  const fault = conversationFault(converted);
  if (fault) return { refusal: fault };
  return {
    model,
    stream: stream ?? false,
    includeUsage: stream_options?.include_usage ?? false,
    maxOutputTokens: limits.max_completion_tokens ?? limits.max_tokens ?? 4096,
    system: messages.filter(isSystem).map(({ content }) => textOf(content)),
    tools: tools.map(({ function: { name, description = "", ...rest } }) => ({
      name,
      description,
      inputSchema: (rest["parameters"] ?? {}) as Record<string, unknown>,
    })),
    messages: converted,
    blocks: [...tools, ...messages].map((item) => ({ ...promptBlock(item), breakpointMs: cacheTtlMs })),
  };
}

const isSystem = ({ role }: WireMessage): boolean => role === "system" || role === "developer";

function messageFrom(message: WireMessage): Message {
  const { role, content, tool_calls = [], tool_call_id = "" } = message;
  if (role === "tool") {
    const parts = contentParts(content);
    return {
      role: "user",
      parts: [{ type: "tool_result", callId: tool_call_id as CallId, content: parts, isError: false }],
    };
  }
  if (role !== "assistant") return { role: "user", parts: contentParts(content) };
  const text = textOf(content);
  return {
    role,
    parts: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...tool_calls.map(({ id, function: call }) => ({
        type: "tool_call" as const,
        callId: id as CallId,
        name: call.name,
        input: jsonOrText(call.arguments),
      })),
    ],
  };
}

/** Joins results: this protocol has one message per result, the conversation has all in one. */
function joinResults(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    if (message.role === "user" && before?.role === "user") {
      joined[joined.length - 1] = { role: "user", parts: [...before.parts, ...message.parts] };
    } else joined.push(message);
  }
  return joined;
}

function contentParts(content: WireMessage["content"]): ContentPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (content ?? []).map((item): ContentPart => {
    const image = z.looseObject({ url: z.string() }).safeParse(item["image_url"]);
    const data = image.success ? /^data:([^;]+);base64,(.*)$/s.exec(image.data.url) : null;
    if (data) return { type: "image", mediaType: data[1] ?? "", data: data[2] ?? "" };
    return { type: "text", text: item.text ?? `[${item.type}]` };
  });
}

const textOf = (content: WireMessage["content"]): string =>
  typeof content === "string" ? content : (content ?? []).map((item) => item.text ?? "").join("");

function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
