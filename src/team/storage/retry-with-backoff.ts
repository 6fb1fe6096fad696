import type { Clock } from "../../platform/index.ts";

export interface RetryWithBackoffOptions {
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  readonly signal: AbortSignal;
  /** Called at the first failure, and again only after a healthy period. */
  readonly onFirstFailure?: ((error: unknown) => Promise<void>) | undefined;
}

/**
 * Runs a long-lived task and restarts it with growing pauses when it fails, because a read error may be temporary.
 * Rejects after too many failures in a row, or when `signal` has aborted.
 */
export async function retryWithBackoff(work: () => Promise<void>, options: RetryWithBackoffOptions): Promise<void> {
  const { clock, signal } = options;
  let failures = 0;
  for (;;) {
    const startedAt = clock.monotonic();
    try {
      return await work();
    } catch (error) {
      if (clock.monotonic() - startedAt >= healthyAfterMs) failures = 0;
      const pauseMs = pausesMs[failures++];
      if (signal.aborted || pauseMs === undefined) throw error;
      if (failures === 1) await options.onFirstFailure?.(error);
      await clock.sleep(pauseMs, signal);
    }
  }
}

const pausesMs = [250, 500, 1_000, 2_000, 4_000];

/** A run of this length resets the failure count. */
const healthyAfterMs = 10_000;
