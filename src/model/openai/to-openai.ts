import type * as Wire from "openai/resources/chat/completions";
import type { AssistantMessage, ContentPart, ModelRequest, UserMessage } from "../../protocol/index.ts";
import type { ModelFacts } from "../catalog.ts";
import { createConversationWriter } from "../conversation-writer.ts";
import { jsonBody } from "../json-request.ts";
import { asInputObject } from "../tool-input.ts";

/** `openai` is the provider itself. `compatible` is any server that supports an older form of its protocol. */
export type Dialect = "openai" | "compatible";

export interface OpenAiModel {
  readonly id: string;
  readonly dialect: Dialect;
  readonly thinking: ModelFacts["thinking"];
}

/**
 * Returns the body of one request. Pure: the same request gives the same bytes, and earlier messages keep their bytes
 * in later requests.
 */
export function toOpenAi(request: ModelRequest, model: OpenAiModel): string {
  const { dialect } = model;
  const text = request.system.join("\n\n");
  const system: Wire.ChatCompletionSystemMessageParam = { role: "system", content: text };
  const effort = dialect === "openai" && model.thinking === "effort" ? request.thinking?.effort : undefined;
  const head: Omit<Wire.ChatCompletionCreateParamsStreaming, "messages"> = {
    model: model.id,
    stream: true,
    stream_options: { include_usage: true },
    ...(dialect === "openai"
      ? { max_completion_tokens: request.maxOutputTokens }
      : { max_tokens: request.maxOutputTokens }),
    ...(effort && { reasoning_effort: effort === "off" ? "none" : effort === "max" ? "xhigh" : effort }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
  };
  return jsonBody(head, [text === "" ? "" : JSON.stringify(system), writers[dialect](request.messages)]);
}

const toTool = ({ name, description, inputSchema }: ModelRequest["tools"][number]): Wire.ChatCompletionTool => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
});

const writerFor = (dialect: Dialect) =>
  createConversationWriter((message) => {
    const messages = message.role === "user" ? toUserMessages(message, dialect) : toAssistantMessages(message);
    return messages.map((it) => JSON.stringify(it)).join(",");
  });

const writers: Readonly<Record<Dialect, ReturnType<typeof writerFor>>> = {
  openai: writerFor("openai"),
  compatible: writerFor("compatible"),
};

/** Results carry text only. Other content of a result follows right after it, with the id of its call. */
function toUserMessages({ parts }: UserMessage, dialect: Dialect): Wire.ChatCompletionMessageParam[] {
  const results: Wire.ChatCompletionToolMessageParam[] = [];
  const rest: Wire.ChatCompletionContentPart[] = [];
  for (const part of parts) {
    if (part.type !== "tool_result") continue;
    const media = part.content.filter((content) => content.type !== "text");
    results.push({ role: "tool", tool_call_id: part.callId, content: joinTexts(part.content) });
    if (media.length === 0) continue;
    rest.push({ type: "text", text: `From the result of ${part.callId}:` });
    rest.push(...media.map((content) => toContent(content, dialect)));
  }
  for (const part of parts) if (part.type !== "tool_result") rest.push(toContent(part, dialect));
  return rest.length === 0 ? results : [...results, { role: "user", content: simplify(rest) }];
}

const joinTexts = (content: readonly ContentPart[]) =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");

function toContent(part: ContentPart, dialect: Dialect): Wire.ChatCompletionContentPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
    case "document":
      if (dialect === "compatible")
        return { type: "text", text: `[The document ${part.name} that this model cannot read.]` };
      return { type: "file", file: { filename: part.name, file_data: `data:${part.mediaType};base64,${part.data}` } };
  }
}

/** Sends plain text as a plain string: not every server accepts a list. */
function simplify(content: Wire.ChatCompletionContentPart[]): string | Wire.ChatCompletionContentPart[] {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === content.length ? texts.join("\n\n") : content;
}

/** Leaves thinking out: these servers do not accept it. */
function toAssistantMessages({ parts }: AssistantMessage): Wire.ChatCompletionMessageParam[] {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const calls = parts.flatMap((part): Wire.ChatCompletionMessageToolCall[] =>
    part.type === "tool_call"
      ? [
          {
            id: part.callId,
            type: "function",
            function: { name: part.name, arguments: JSON.stringify(asInputObject(part.input)) },
          },
        ]
      : [],
  );
  if (text === "" && calls.length === 0) return [];
  return [{ role: "assistant", content: text === "" ? null : text, ...(calls.length > 0 && { tool_calls: calls }) }];
}
