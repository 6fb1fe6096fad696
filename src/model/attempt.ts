import type { ModelEvent, ModelRequest, Usage } from "../protocol/index.ts";

/** What a single attempt tells whoever runs it while it is under way. */
export interface AttemptContext {
  readonly signal: AbortSignal;
  /** Something arrived from the other end: headers, bytes, even a ping. The stall watchdog counts from here. */
  readonly alive: () => void;
  /** What this attempt is known to have cost so far, in all; it is paid for also when the answer is lost. */
  readonly spent: (usage: Usage) => void;
}

/**
 * One try, without a second: no retry, no queue. Its last event is `finished` or `failed`; it never throws for what a
 * provider or the network does.
 */
export interface AttemptModel {
  readonly ref: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  attempt(request: ModelRequest, context: AttemptContext): AsyncIterable<ModelEvent>;
}
