import type { Clock } from "../platform/index.ts";
import type { ModelEvent, ModelRequest, Usage } from "../protocol/index.ts";
import type { ModelFacts } from "./catalog.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Fetch } from "./watched-fetch.ts";

/** Callbacks for the progress of a single attempt. */
export interface AttemptContext {
  readonly signal: AbortSignal;
  /** Call when anything arrives from the server: headers, bytes, even a ping. The stall watchdog counts from here. */
  readonly alive: () => void;
  /** Call with the total known cost of this attempt so far. It is charged even if the answer is lost. */
  readonly spent: (usage: Usage) => void;
}

/**
 * A single attempt, without retry or queue. Its last event is `finished` or `failed`. It never throws for a failure of
 * the provider or the network.
 */
export interface AttemptModel {
  readonly ref: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  attempt(request: ModelRequest, context: AttemptContext): AsyncIterable<ModelEvent>;
}

export interface AttemptOptions {
  readonly endpoint: Endpoint;
  readonly facts: ModelFacts;
  readonly clock: Pick<Clock, "now">;
  readonly fetch: Fetch;
}

/** A model with the limits in its options. */
export function attemptModel<O extends AttemptOptions>(
  ref: string,
  options: O,
  attempt: (options: O, request: ModelRequest, context: AttemptContext) => AsyncIterable<ModelEvent>,
): AttemptModel {
  const { contextWindow, maxOutputTokens } = options.facts;
  return { ref, contextWindow, maxOutputTokens, attempt: (request, context) => attempt(options, request, context) };
}
