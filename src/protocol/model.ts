import * as z from "zod";
import { type Message, AnswerPart } from "./message.ts";

/** Tokens of one answer. `inputTokens` excludes tokens read from or written to the prompt cache. */
export const Usage = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadTokens: z.number().int().nonnegative(),
  cacheWriteTokens: z.number().int().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
});

export const StopReason = z.enum(["end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence"]);
export type StopReason = z.infer<typeof StopReason>;

/** The meaning of a provider's failure. `message` is for people and says what to do if that is known. */
export const ModelFailure = z.object({
  kind: z.enum([
    "rate_limited",
    "overloaded",
    "server",
    "connection",
    "stalled",
    "cut",
    "malformed",
    "context_overflow",
    "authentication",
    "forbidden",
    "not_found",
    "bad_request",
    "aborted",
  ]),
  message: z.string(),
  status: z.number().int().optional(),
  retryAfterMs: z.number().nonnegative().optional(),
});
export type ModelFailure = z.infer<typeof ModelFailure>;

/** How much a model thinks before it answers. `off` asks for no thinking. */
export const Effort = z.enum(["off", "low", "medium", "high", "max"]);
export type Effort = z.infer<typeof Effort>;

/** The thinking that a request asks for. A model without thinking ignores it. */
export interface Thinking {
  readonly effort: Effort;
  /** The maximum number of thinking tokens, instead of the number that belongs to the effort. */
  readonly tokens?: number | undefined;
}

/** A tool as a model sees it. `inputSchema` is JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/**
 * One request. `system` blocks, `tools` and earlier messages must be byte-identical in all calls of one agent, or the
 * prompt cache is lost. Adapters put cache breakpoints after the tools and system, and on the last two user messages.
 */
export interface ModelRequest {
  readonly system: readonly string[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly thinking?: Thinking;
  /**
   * The calling agent and its turn. Scripted models choose answers by it, gates order by it, and providers never see
   * it.
   */
  readonly caller: ModelCaller;
}

export interface ModelCaller {
  readonly agentPath: string;
  readonly agentType: string;
  readonly turn: number;
  readonly purpose: "answer" | "compact" | "summary" | "check";
}

/**
 * Events of a stream. Deltas are only for viewers: nothing may be executed before `finished`, which carries the whole
 * answer. After `retrying`, all deltas so far are void and the answer starts again. `usage` is the known cost of a lost
 * attempt.
 */
export type ModelEvent =
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "thinking.delta"; readonly text: string }
  | { readonly type: "tool.delta"; readonly name: string; readonly inputJson: string }
  | { readonly type: "waiting"; readonly reason: string }
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly delayMs: number;
      readonly failure: ModelFailure;
      readonly usage?: Usage;
    }
  | { readonly type: "finished"; readonly answer: ModelAnswer }
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly usage?: Usage };

export const ModelAnswer = z.object({ parts: z.array(AnswerPart), stopReason: StopReason, usage: Usage });
export type ModelAnswer = z.infer<typeof ModelAnswer>;

/**
 * Contract: `stream` never throws and never rejects for a provider's failure. Its last event is always `finished` or
 * `failed`. An aborted signal ends it with `failed` of kind `aborted` without waiting for the network.
 */
export interface ModelClient {
  /** The concrete model, `provider/id`. */
  readonly ref: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
