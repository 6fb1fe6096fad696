import { type Clock, sleepUnlessAborted } from "../platform/index.ts";
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from "../protocol/index.ts";
import type { AttemptModel } from "./attempt.ts";
import type { Gate, TicketResult } from "./gate.ts";
import { abortedFailure, runAttempt } from "./run-attempt.ts";

export interface RetryOptions {
  readonly gate: Gate;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly maxAttempts?: number | undefined;
  /** The longest silence after the first byte before an attempt is aborted. 0 turns both watchdogs off. */
  readonly stallMs?: number | undefined;
  readonly firstByteMs?: number | undefined;
}

const baseDelayMs = 1_000;
const maxDelayMs = 60_000;

/** If a server asks for a longer wait, the turn fails instead of blocking the session unnoticed. */
const longestWaitMs = 15 * 60_000;

/**
 * Turns a single-attempt model into a client. Every request passes the account's gate, and transient failures are
 * retried.
 */
export function withRetry(model: AttemptModel, options: RetryOptions): ModelClient {
  const { maxAttempts = 10, stallMs = 60_000, firstByteMs = 300_000 } = options;
  const settled = { ...options, maxAttempts, stallMs, firstByteMs };
  return {
    ref: model.ref,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    stream: (request, signal) => streamAnswer(model, settled, { request, signal }),
  };
}

type Settled = RetryOptions & Record<"maxAttempts" | "stallMs" | "firstByteMs", number>;

async function* streamAnswer(
  model: AttemptModel,
  options: Settled,
  { request, signal }: { request: ModelRequest; signal: AbortSignal },
): AsyncGenerator<ModelEvent, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    const ticket = options.gate.enter({ agentPath: request.caller.agentPath, signal });
    let lost: Extract<ModelEvent, { type: "failed" }> | undefined;
    let delayMs: number | undefined;
    try {
      if (ticket.waitingFor !== undefined) yield { type: "waiting", reason: ticket.waitingFor };
      if (!(await ticket.granted())) {
        yield { type: "failed", failure: abortedFailure };
        return;
      }
      for await (const event of runAttempt(model, request, { ...options, signal })) {
        if (event.type === "finished") ticket.release("ok");
        if (event.type === "failed") lost = event;
        else yield event;
      }
      if (!lost) return;
      delayMs = delayBefore(lost.failure, attempt, options);
      ticket.release(resultOf(lost.failure), lost.failure.retryAfterMs ?? delayMs);
    } finally {
      ticket.release("abandoned");
    }
    if (delayMs === undefined) {
      yield attempt > 1 ? { ...lost, failure: afterRetries(lost.failure, attempt) } : lost;
      return;
    }
    const { failure, usage } = lost;
    yield { type: "retrying", attempt: attempt + 1, delayMs, failure, ...(usage && { usage }) };
    if (!(await sleepUnlessAborted(options.clock, delayMs, signal))) {
      yield { type: "failed", failure: abortedFailure };
      return;
    }
  }
}

/** Returns the wait before the next attempt, or undefined when there is none. */
function delayBefore(failure: ModelFailure, attempt: number, options: Settled): number | undefined {
  if (!isTransient(failure) || attempt >= options.maxAttempts) return undefined;
  if (failure.retryAfterMs !== undefined && failure.retryAfterMs > longestWaitMs) return undefined;
  const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  const drawn = Math.round(options.random() * ceiling);
  // A rate limit stops the whole account, so its wait keeps a minimum.
  const own = failure.kind === "rate_limited" ? Math.max(drawn, Math.min(ceiling, baseDelayMs)) : drawn;
  return Math.max(own, failure.retryAfterMs ?? 0);
}

export function isTransient(failure: ModelFailure): boolean {
  switch (failure.kind) {
    case "rate_limited":
    case "overloaded":
    case "server":
    case "connection":
    case "stalled":
    case "cut":
    case "malformed":
      return true;
    case "context_overflow":
    case "authentication":
    case "forbidden":
    case "not_found":
    case "bad_request":
    case "aborted":
      return false;
  }
}

function resultOf(failure: ModelFailure): TicketResult {
  if (failure.kind === "rate_limited") return "rate_limited";
  return failure.kind === "overloaded" ? "overloaded" : "failed";
}

function afterRetries(failure: ModelFailure, attempts: number): ModelFailure {
  if (!isTransient(failure)) return failure;
  const asked = failure.retryAfterMs ? `; the server asks to wait ${Math.ceil(failure.retryAfterMs / 1000)} s` : "";
  return { ...failure, message: `${failure.message} Stopped after ${attempts} attempts${asked}.` };
}
