import * as z from "zod";
import { cacheTtlMs, promptBlock } from "../model/scripted/index.ts";
import type { AnswerPart, CallId, ContentPart, Message, UserMessage } from "../protocol/index.ts";
import { conversationFault } from "./conversation-fault.ts";
import type { WireRefusal, WireRequest } from "./wire.ts";

const CacheControl = z.looseObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });
const Block = z.looseObject({ type: z.string(), cache_control: CacheControl.nullish() });
type Block = z.infer<typeof Block>;
const Content = z.union([z.string(), z.array(Block)]);
const Body = z.looseObject({
  model: z.string(),
  max_tokens: z.number().int().positive(),
  stream: z.boolean().optional(),
  system: Content.optional(),
  tools: z.array(z.looseObject({ name: z.string(), cache_control: CacheControl.nullish() })).optional(),
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content: Content })).min(1),
});

/** Parses the body of `POST /v1/messages` and rejects what the API would reject. */
export function parseAnthropicRequest(body: unknown): WireRequest | WireRefusal {
  const parsed = Body.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { refusal: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}` };
  }
  const { model, stream = false, max_tokens, system = [], tools = [], messages } = parsed.data;
  const systemBlocks = blocksOf(system);
  const conversation = messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) }));
  const marked = [...tools, ...systemBlocks, ...conversation.flatMap(({ blocks }) => blocks)];
  const breakpoints = marked.filter((block) => block.cache_control).length;
  if (breakpoints > 4) {
    return { refusal: `A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints}.` };
  }
  const converted = conversation.map(({ role, blocks }) => messageFrom(role, blocks));
  const fault = conversationFault(converted);
  if (fault) return { refusal: fault };
  return {
    model,
    stream,
    maxOutputTokens: max_tokens,
    system: systemBlocks.map((block) => textIn(block, "text")),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: textIn(tool, "description"),
      inputSchema: (tool["input_schema"] ?? {}) as Record<string, unknown>,
    })),
    messages: converted,
    blocks: [
      ...tools.map((tool) => promptBlockOf("tool", tool)),
      ...systemBlocks.map((block) => promptBlockOf("system", block)),
      ...conversation.flatMap(({ role, blocks }) => blocks.map((block) => promptBlockOf(role, block))),
    ],
  };
}

const blocksOf = (content: string | Block[]): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

function promptBlockOf(role: string, { cache_control, ...block }: { cache_control?: Block["cache_control"] }) {
  const lifeMs = cache_control?.ttl === "1h" ? 60 * 60_000 : cacheTtlMs;
  return { ...promptBlock({ role, ...block }), ...(cache_control && { breakpointMs: lifeMs }) };
}

function messageFrom(role: "user" | "assistant", blocks: readonly Block[]): Message {
  if (role === "assistant") return { role, parts: blocks.map(answerPartFrom) };
  return { role, parts: blocks.map(userPartFrom) };
}

function answerPartFrom(block: Block): AnswerPart {
  const text = (key: string) => textIn(block, key);
  if (block.type === "tool_use") {
    return { type: "tool_call", callId: text("id") as CallId, name: text("name"), input: block["input"] };
  }
  if (block.type === "thinking") return { type: "thinking", text: text("thinking"), signature: text("signature") };
  if (block.type === "redacted_thinking") return { type: "thinking", text: "", redacted: text("data") };
  return { type: "text", text: text("text") };
}

function userPartFrom(block: Block): UserMessage["parts"][number] {
  if (block.type !== "tool_result") return contentPartFrom(block);
  const content = Content.optional().catch(undefined).parse(block["content"]) ?? [];
  return {
    type: "tool_result",
    callId: textIn(block, "tool_use_id") as CallId,
    content: blocksOf(content).map(contentPartFrom),
    isError: block["is_error"] === true,
  };
}

function contentPartFrom(block: Block): ContentPart {
  const source = z.looseObject({ media_type: z.string(), data: z.string() }).safeParse(block["source"]);
  if (block.type === "image" && source.success) {
    return { type: "image", mediaType: source.data.media_type, data: source.data.data };
  }
  if (block.type === "document" && source.success) {
    const name = textIn(block, "title");
    return { type: "document", mediaType: "application/pdf", name, data: source.data.data };
  }
  return { type: "text", text: block.type === "text" ? textIn(block, "text") : `[${block.type}]` };
}

function textIn(block: Readonly<Record<string, unknown>>, key: string): string {
  const value = block[key];
  return typeof value === "string" ? value : "";
}
