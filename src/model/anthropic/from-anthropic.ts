import { type AnswerPart, type CallId, type ModelEvent, StopReason, type Usage } from "../../protocol/index.ts";
import { parseToolInput } from "../tool-input.ts";
import { readWireEvent, type WireEvent, type WireUsage } from "./wire-event.ts";

type Block =
  | { readonly type: "text"; text: string }
  | { readonly type: "thinking"; text: string; signature: string }
  | { readonly type: "redacted"; readonly data: string }
  | { readonly type: "tool"; readonly id: string; readonly name: string; readonly given: unknown; json: string }
  | { readonly type: "other" };

/**
 * Builds an answer from the events of its stream. Usage in the stream is a running total, so the last value counts.
 * Call `end` after the stream has ended: without a `message_stop` there is no answer.
 */
export class AnthropicAnswer {
  readonly #blocks: Block[] = [];
  readonly #open = new Map<number, Block>();
  #usage: Usage | undefined;
  #stopReason: string | undefined;
  #ended = false;

  get usage(): Usage | undefined {
    return this.#usage;
  }
  get started(): boolean {
    return this.#usage !== undefined || this.#blocks.length > 0;
  }

  /** Returns the events to show for this value. A `failed` event is the last. */
  push(value: unknown): ModelEvent[] {
    const event = readWireEvent(value);
    if (event === "unknown") return [];
    if (event === "malformed") return [malformed("an event in an unknown format")];
    switch (event.type) {
      case "message_start":
        this.#count(event.message.usage);
        return [];
      case "content_block_start":
        return this.#start(event);
      case "content_block_delta":
        return this.#grow(event);
      case "content_block_stop":
        this.#open.delete(event.index);
        return [];
      case "message_delta":
        this.#count(event.usage);
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        return [];
      case "message_stop":
        this.#ended = true;
        return [];
    }
  }

  end(): ModelEvent {
    if (!this.#ended) return failed("cut", "The answer ended before it was complete.");
    if ([...this.#open.values()].some((block) => block.type === "tool")) return malformed("an unfinished tool call");
    const stopReason = toStopReason(this.#stopReason, this.#blocks);
    const cutOff = stopReason === "max_tokens" ? this.#blocks.at(-1) : undefined;
    return {
      type: "finished",
      answer: {
        parts: this.#blocks.flatMap((block) => toPart(block, block === cutOff)),
        stopReason,
        usage: this.#usage ?? noUsage,
      },
    };
  }

  #start({ index, content_block: from }: Extract<WireEvent, { type: "content_block_start" }>): ModelEvent[] {
    if (this.#open.has(index)) return [malformed("the same part of the answer twice")];
    const block = toBlock(from);
    if (!block) return [malformed("a tool call without a name or an id")];
    this.#open.set(index, block);
    this.#blocks.push(block);
    if (block.type === "tool") return [{ type: "tool.delta", name: block.name, inputJson: "" }];
    return show(block.type, "text" in block ? block.text : "");
  }

  #grow({ index, delta }: Extract<WireEvent, { type: "content_block_delta" }>): ModelEvent[] {
    const block = this.#open.get(index);
    if (!block) return [malformed("content for a part that had not started")];
    if (block.type === "text" && delta.type === "text_delta") {
      block.text += delta.text ?? "";
      return show("text", delta.text ?? "");
    }
    if (block.type === "thinking" && delta.type === "thinking_delta") {
      block.text += delta.thinking ?? "";
      return show("thinking", delta.thinking ?? "");
    }
    if (block.type === "thinking" && delta.type === "signature_delta") block.signature += delta.signature ?? "";
    if (block.type !== "tool" || delta.type !== "input_json_delta" || !delta.partial_json) return [];
    block.json += delta.partial_json;
    return [{ type: "tool.delta", name: block.name, inputJson: delta.partial_json }];
  }

  #count(told: WireUsage | null | undefined): void {
    if (!told) return;
    const before = this.#usage ?? noUsage;
    this.#usage = {
      inputTokens: told.input_tokens ?? before.inputTokens,
      outputTokens: told.output_tokens ?? before.outputTokens,
      cacheReadTokens: told.cache_read_input_tokens ?? before.cacheReadTokens,
      cacheWriteTokens: told.cache_creation_input_tokens ?? before.cacheWriteTokens,
    };
  }
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function toBlock(from: Extract<WireEvent, { type: "content_block_start" }>["content_block"]): Block | undefined {
  if (from.type === "text") return { type: "text", text: from.text ?? "" };
  if (from.type === "thinking") return { type: "thinking", text: from.thinking ?? "", signature: from.signature ?? "" };
  if (from.type === "redacted_thinking") return { type: "redacted", data: from.data ?? "" };
  if (from.type !== "tool_use") return { type: "other" };
  return from.id && from.name ? { type: "tool", id: from.id, name: from.name, given: from.input, json: "" } : undefined;
}

function show(type: Block["type"], text: string): ModelEvent[] {
  if (text === "") return [];
  if (type === "text") return [{ type: "text.delta", text }];
  return type === "thinking" ? [{ type: "thinking.delta", text }] : [];
}

function toPart(block: Block, cutOff: boolean): AnswerPart[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
      if (block.text === "" && block.signature === "") return [];
      return [{ type: "thinking", text: block.text, ...(block.signature && { signature: block.signature }) }];
    case "redacted":
      return [{ type: "thinking", text: "", redacted: block.data }];
    case "tool":
      return [{ type: "tool_call", callId: block.id as CallId, name: block.name, input: inputOf(block, cutOff) }];
    case "other":
      return [];
  }
}

/**
 * Keeps the empty text when the token limit cut the call before its input: the call must not run as one without input.
 */
function inputOf(block: Extract<Block, { type: "tool" }>, cutOff: boolean): unknown {
  if (block.json !== "") return parseToolInput(block.json);
  const given = typeof block.given === "object" && block.given !== null && Object.keys(block.given).length > 0;
  if (given) return block.given;
  return cutOff ? "" : {};
}

/** `pause_turn` and a full context window leave an answer unfinished, like a reached `max_tokens`. */
function toStopReason(reason: string | undefined, blocks: readonly Block[]): StopReason {
  if (reason === "pause_turn" || reason === "model_context_window_exceeded") return "max_tokens";
  const known = StopReason.safeParse(reason);
  if (known.success) return known.data;
  return blocks.some((block) => block.type === "tool") ? "tool_use" : "end_turn";
}

const failed = (kind: "cut" | "malformed", message: string): ModelEvent => ({
  type: "failed",
  failure: { kind, message },
});

const malformed = (what: string): ModelEvent => failed("malformed", `The provider sent ${what}.`);
