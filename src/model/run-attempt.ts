import type { Clock } from "../platform/index.ts";
import type { ModelEvent, ModelFailure, ModelRequest, Usage } from "../protocol/index.ts";
import type { AttemptModel } from "./attempt.ts";

export interface AttemptLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The longest silence after the first byte. 0 means no limit. */
  readonly stallMs: number;
  /**
   * The longest silence before the first byte: a server may read a long prompt before it sends headers. 0 means no
   * limit.
   */
  readonly firstByteMs: number;
}

/**
 * Runs one attempt so that an abort or a stall ends it at once, even if the network does not react. Only time spent
 * waiting for the server counts as a stall, not time in which the caller does not read.
 */
export async function* runAttempt(
  model: AttemptModel,
  request: ModelRequest,
  limits: AttemptLimits,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { clock, signal, stallMs, firstByteMs } = limits;
  const inner = new AbortController();
  let spent: Usage | undefined;
  let interrupt: ModelFailure | undefined;
  let wake: (() => void) | undefined;
  let heard = false;
  let waiting = false;
  let lastSign = clock.monotonic();

  const alive = () => {
    heard = true;
    lastSign = clock.monotonic();
  };
  const stop = (failure: ModelFailure) => {
    interrupt ??= failure;
    wake?.();
    inner.abort();
  };
  const onAbort = () => stop(abortedFailure);

  const watch = async (): Promise<void> => {
    while (!inner.signal.aborted) {
      const limit = heard ? stallMs : firstByteMs;
      const silence = waiting ? clock.monotonic() - lastSign : 0;
      if (silence >= limit) return stop(stalledFailure(model.ref, limit));
      // Never sleep longer than the shorter limit: the first byte may arrive, and be the last, during the sleep.
      await clock.sleep(Math.min(limit - silence, stallMs), inner.signal);
    }
  };

  const answer = model.attempt(request, {
    signal: inner.signal,
    alive,
    spent: (usage) => {
      spent = usage;
    },
  });
  const events = answer[Symbol.asyncIterator]();
  const next = () =>
    new Promise<IteratorResult<ModelEvent> | undefined>((resolve, reject) => {
      wake = () => resolve(undefined);
      if (interrupt) return resolve(undefined);
      events.next().then(resolve, reject);
    });

  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  if (stallMs > 0 && firstByteMs > 0) {
    watch().catch((error: unknown) => {
      if (!inner.signal.aborted) throw error;
    });
  }
  try {
    while (true) {
      waiting = true;
      lastSign = clock.monotonic();
      const result = await next();
      waiting = false;
      if (result === undefined || result.done) {
        yield { type: "failed", failure: interrupt ?? endlessFailure, ...(spent && { usage: spent }) };
        return;
      }
      alive();
      yield withUsage(result.value, spent);
      if (result.value.type === "finished" || result.value.type === "failed") return;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    inner.abort();
    // Not awaited: a generator that hangs on the network must not delay the caller, which already has its last event.
    void Promise.allSettled([events.return?.()]);
  }
}

function withUsage(event: ModelEvent, spent: Usage | undefined): ModelEvent {
  return event.type === "failed" && spent && !event.usage ? { ...event, usage: spent } : event;
}

export const abortedFailure: ModelFailure = { kind: "aborted", message: "Interrupted." };

const stalledFailure = (ref: string, limit: number): ModelFailure => ({
  kind: "stalled",
  message: `${ref} sent nothing for ${Math.round(limit / 1000)} s.`,
});

const endlessFailure: ModelFailure = { kind: "cut", message: "The answer stream ended without a final event." };
