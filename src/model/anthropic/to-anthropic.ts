import type * as Wire from "@anthropic-ai/sdk/resources/messages/messages";
import type {
  AnswerPart,
  ContentPart,
  Message,
  ModelRequest,
  ToolResultPart,
  UserMessage,
} from "../../protocol/index.ts";
import type { ModelFacts } from "../catalog.ts";
import { createConversationWriter } from "../conversation-writer.ts";
import { jsonBody } from "../json-request.ts";
import { asInputObject } from "../tool-input.ts";
import { thinkingParams } from "./thinking-params.ts";

type UserBlock = Wire.TextBlockParam | Wire.ImageBlockParam | Wire.DocumentBlockParam | Wire.ToolResultBlockParam;

/**
 * Returns the body of one request. Pure: the same request gives the same bytes, and earlier messages keep their bytes
 * in later requests. Only the cache marks move, and the provider ignores them when it compares.
 */
export function toAnthropic(
  request: ModelRequest,
  model: { readonly id: string; readonly thinking: ModelFacts["thinking"] },
): string {
  const system = request.system.filter(hasText).map((text): Wire.TextBlockParam => ({ type: "text", text }));
  const tools = request.tools.map(
    ({ name, description, inputSchema }): Wire.Tool => ({
      name,
      description,
      input_schema: { ...inputSchema, type: "object" },
    }),
  );
  const head: Omit<Wire.MessageCreateParamsStreaming, "messages"> = {
    model: model.id,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...thinkingParams(request, model.thinking),
    ...(tools.length > 0 && { tools: system.length > 0 ? tools : markLast(tools) }),
    ...(system.length > 0 && { system: markLast(system) }),
  };
  const at = startOfMarked(request.messages);
  const marked = markUserMessages(request.messages.slice(at).map(convert).filter(hasContent));
  return jsonBody(head, [
    writeUnmarked(request.messages.slice(0, at)),
    ...marked.map((message) => JSON.stringify(message)),
  ]);
}

interface UserParam {
  role: "user";
  content: UserBlock[];
}
interface AssistantParam {
  role: "assistant";
  content: Wire.ContentBlockParam[];
}

/**
 * Returns the index of the first message to write again. The cache marks move with every request, so messages that gain
 * or lose one are rewritten.
 */
function startOfMarked(messages: readonly Message[]): number {
  for (let index = messages.length - 1, left = markedMessages; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === "user" && hasContent(convert(message))) left -= 1;
    if (left === 0) return index;
  }
  return 0;
}

const writeUnmarked = createConversationWriter((message) => {
  const param = convert(message);
  return hasContent(param) ? JSON.stringify(param) : "";
});

const hasContent = ({ content }: UserParam | AssistantParam) => content.length > 0;

function convert(message: Message): UserParam | AssistantParam {
  return message.role === "user"
    ? { role: "user", content: toUserBlocks(message.parts) }
    : { role: "assistant", content: message.parts.flatMap(toAnswerBlock) };
}

/** The provider requires results before any other content of the message. */
function toUserBlocks(parts: UserMessage["parts"]): UserBlock[] {
  const results: UserBlock[] = [];
  const rest: UserBlock[] = [];
  for (const part of parts) {
    if (part.type === "tool_result") results.push(toResultBlock(part));
    else rest.push(...toContentBlock(part));
  }
  return [...results, ...rest];
}

function toResultBlock({ callId, content, isError }: ToolResultPart): Wire.ToolResultBlockParam {
  const block: Wire.ToolResultBlockParam = {
    type: "tool_result",
    tool_use_id: toWireId(callId),
    content: content.flatMap(toContentBlock),
  };
  if (isError) block.is_error = true;
  return block;
}

type ContentBlock = Wire.TextBlockParam | Wire.ImageBlockParam | Wire.DocumentBlockParam;

function toContentBlock(part: ContentPart): ContentBlock[] {
  switch (part.type) {
    case "text":
      return hasText(part.text) ? [{ type: "text", text: part.text }] : [];
    case "image": {
      const mediaType = imageTypes.find((type) => type === part.mediaType);
      if (!mediaType)
        return [{ type: "text", text: `[An image of type ${part.mediaType} that this model cannot see.]` }];
      return [{ type: "image", source: { type: "base64", media_type: mediaType, data: part.data } }];
    }
    case "document":
      return [
        {
          type: "document",
          source: { type: "base64", media_type: part.mediaType, data: part.data },
          title: part.name,
        },
      ];
  }
}

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/**
 * Returns thinking only as this provider signed it. Thinking without a signature comes from another provider and is
 * left out.
 */
function toAnswerBlock(part: AnswerPart): Wire.ContentBlockParam[] {
  switch (part.type) {
    case "text":
      return hasText(part.text) ? [{ type: "text", text: part.text }] : [];
    case "thinking":
      if (part.redacted !== undefined) return [{ type: "redacted_thinking", data: part.redacted }];
      return part.signature === undefined ? [] : [{ type: "thinking", thinking: part.text, signature: part.signature }];
    case "tool_call":
      return [{ type: "tool_use", id: toWireId(part.callId), name: part.name, input: asInputObject(part.input) }];
  }
}

/** Ids from other providers may contain characters that this one rejects. */
const toWireId = (callId: string) =>
  callId.replace(/[^a-zA-Z0-9_-]/g, (character) => `_${character.codePointAt(0)?.toString(16)}_`);

/** The provider rejects empty or blank text. */
const hasText = (text: string) => text.trim() !== "";

const mark = { cache_control: { type: "ephemeral" } } as const;
/** The number of user messages to mark, counted from the last. */
const markedMessages = 2;

function markLast<T extends object>(blocks: readonly T[]): T[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...mark } : block));
}

/**
 * The mark on the last message serves the next request; the mark before it finds the cache of the previous request. If
 * text follows results, as in the first request of a fork, the results are marked too: forks share everything up to
 * there.
 */
function markUserMessages(messages: readonly (UserParam | AssistantParam)[]): Wire.MessageParam[] {
  const marked: Wire.MessageParam[] = [...messages];
  for (let index = messages.length - 1, left = markedMessages; index >= 0 && left > 0; index--) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    const isLast = index === messages.length - 1;
    marked[index] = {
      role: "user",
      content: isLast ? markResults(markLast(message.content)) : markLast(message.content),
    };
    left -= 1;
  }
  return marked;
}

/** Results come first, so the last result ends a prefix. */
function markResults(blocks: UserBlock[]): UserBlock[] {
  const last = blocks.findLastIndex(({ type }) => type === "tool_result");
  return last < 0 ? blocks : blocks.map((block, index) => (index === last ? { ...block, ...mark } : block));
}
