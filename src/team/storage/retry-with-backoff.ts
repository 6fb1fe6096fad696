import type { Clock } from "../../platform/index.ts";

export interface RetryWithBackoffOptions {
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  readonly signal: AbortSignal;
  /** It has broken off, and is begun again. Told once, until it has gone well for a while. */
  readonly onFirstFailure?: ((error: unknown) => Promise<void>) | undefined;
}

/**
 * Does what goes on until it is told to end. What breaks off is begun again, after pauses that grow: a file that could not
 * be read this once may be readable the next time. Rejects with why when it has gone wrong too often in a row, or once
 * `signal` has aborted.
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

/** What went on for so long was well again. */
const healthyAfterMs = 10_000;
