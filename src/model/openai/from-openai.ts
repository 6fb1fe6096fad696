import type { AnswerPart, CallId, ModelEvent, StopReason, Usage } from "../../protocol/index.ts";
import { parseToolInput } from "../tool-input.ts";
import { type DraftCall, mergeCall, textOf } from "./merge-calls.ts";
import { WireChunk, type WireUsage } from "./wire-chunk.ts";

export interface AnswerOptions {
  /**
   * True if the conversation already has this id. Some servers count from 0 in every answer, and ids in a log must be
   * unique.
   */
  readonly isUsed: (id: string) => boolean;
  readonly createId: () => string;
  /** The length of the request, for servers that report no tokens. */
  readonly requestChars: () => number;
}

/** Builds an answer from the chunks of its stream. Without a finish reason there is no answer. */
export class OpenAiAnswer {
  readonly #options: AnswerOptions;
  readonly #calls: DraftCall[] = [];
  #text = "";
  #thinking = "";
  #refused = false;
  #finish: string | undefined;
  #usage: Usage | undefined;
  #chunks = 0;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }
  get started(): boolean {
    return this.#chunks > 0;
  }
  /** True when the whole answer has arrived, even if the stream then fails. */
  get complete(): boolean {
    return this.#finish !== undefined;
  }

  push(value: unknown): ModelEvent[] {
    const chunk = WireChunk.safeParse(value);
    if (!chunk.success) return [failed("malformed", "The server sent a chunk in an unknown format.")];
    this.#chunks++;
    if (chunk.data.usage) this.#usage = toUsage(chunk.data.usage);
    const choice = chunk.data.choices?.[0];
    this.#finish = choice?.finish_reason || this.#finish;
    const delta = choice?.delta;
    if (!delta) return [];
    const events: ModelEvent[] = [];
    const thinking = delta.reasoning_content || delta.reasoning || "";
    if (thinking) {
      this.#thinking += thinking;
      events.push({ type: "thinking.delta", text: thinking });
    }
    const text = `${delta.content ?? ""}${delta.refusal ?? ""}`;
    if (delta.refusal) this.#refused = true;
    if (text) {
      this.#text += text;
      events.push({ type: "text.delta", text });
    }
    for (const piece of delta.tool_calls ?? []) {
      const call = mergeCall(this.#calls, piece);
      events.push({ type: "tool.delta", name: call.name, inputJson: textOf(piece) });
    }
    return events;
  }

  end(): ModelEvent {
    if (this.#finish === undefined) return failed("cut", "The answer ended before it was complete.");
    if (this.#calls.some((call) => call.name === ""))
      return failed("malformed", "The server sent a tool call without a name.");
    const stopReason = this.#stopReason(this.#finish);
    return {
      type: "finished",
      answer: { parts: this.#parts(stopReason), stopReason, usage: this.#usage ?? this.#estimate() },
    };
  }

  #parts(stopReason: StopReason): AnswerPart[] {
    const { isUsed, createId } = this.#options;
    const given = new Set<string>();
    const parts: AnswerPart[] = [];
    if (this.#thinking) parts.push({ type: "thinking", text: this.#thinking });
    if (this.#text) parts.push({ type: "text", text: this.#text });
    for (const call of this.#calls) {
      const isFit = call.id !== "" && call.id.length <= 200 && !given.has(call.id) && !isUsed(call.id);
      const id = isFit ? call.id : createId();
      given.add(id);
      // A call that the token limit cut before its input must not run as one without input.
      const cutOff = stopReason === "max_tokens" && call === this.#calls.at(-1) && call.json.trim() === "";
      const input = cutOff ? "" : parseToolInput(call.json);
      parts.push({ type: "tool_call", callId: id as CallId, name: call.name, input });
    }
    return parts;
  }

  #stopReason(finish: string): StopReason {
    if (finish === "length") return "max_tokens";
    if (finish === "content_filter" || this.#refused) return "refusal";
    return this.#calls.length > 0 ? "tool_use" : "end_turn";
  }

  #estimate(): Usage {
    const written =
      this.#text.length + this.#thinking.length + this.#calls.reduce((sum, call) => sum + call.json.length, 0);
    return {
      inputTokens: Math.ceil(this.#options.requestChars() / charsPerToken),
      outputTokens: Math.ceil(written / charsPerToken),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    };
  }
}

const charsPerToken = 4;

/** The server's prompt count includes cached tokens; `Usage` does not. */
function toUsage(told: WireUsage): Usage {
  const cacheReadTokens = told.prompt_tokens_details?.cached_tokens ?? 0;
  const cacheWriteTokens = told.prompt_tokens_details?.cache_write_tokens ?? 0;
  return {
    inputTokens: Math.max(0, (told.prompt_tokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: told.completion_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

const failed = (kind: "cut" | "malformed", message: string): ModelEvent => ({
  type: "failed",
  failure: { kind, message },
});
