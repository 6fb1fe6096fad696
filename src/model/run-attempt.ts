import type { Clock } from "../platform/index.ts";
import type { ModelEvent, ModelFailure, ModelRequest, Usage } from "../protocol/index.ts";
import type { AttemptModel } from "./attempt.ts";

export interface AttemptLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Longest silence once something has arrived; 0 means no limit. */
  readonly stallMs: number;
  /** Longest silence before anything has arrived: a server may read a long prompt before it sends headers. 0: no limit. */
  readonly firstByteMs: number;
}

/**
 * Runs one attempt so that an abort or a stall ends it at once, whether or not the network takes notice. A stall is
 * silence while we wait; time in which nobody reads from us does not count.
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
      // Never longer than the shorter limit: the first byte may come, and be the last, while this sleeps.
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
    // Not awaited: a generator that hangs on the network must not hold up whoever has already been told.
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

const endlessFailure: ModelFailure = { kind: "cut", message: "The answer ended without its end." };
