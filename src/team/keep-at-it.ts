import type { Clock } from "../platform/index.ts";

export interface KeepAtItOptions {
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  readonly signal: AbortSignal;
  /** It has broken off, and is begun again. Told once, until it has gone well for a while. */
  readonly onBreak?: ((error: unknown) => Promise<void>) | undefined;
}

/**
 * Does what goes on until it is told to end. What breaks off is begun again, after pauses that grow: a file that could not
 * be read this once may be readable the next time. Rejects with why when it has gone wrong too often in a row, or once
 * `signal` has aborted.
 */
export async function keepAtIt(work: () => Promise<void>, options: KeepAtItOptions): Promise<void> {
  const { clock, signal } = options;
  let breaks = 0;
  for (;;) {
    const begunAt = clock.monotonic();
    try {
      return await work();
    } catch (error) {
      if (clock.monotonic() - begunAt >= wentWellMs) breaks = 0;
      const pauseMs = pausesMs[breaks++];
      if (signal.aborted || pauseMs === undefined) throw error;
      if (breaks === 1) await options.onBreak?.(error);
      await clock.sleep(pauseMs, signal);
    }
  }
}

const pausesMs = [250, 500, 1_000, 2_000, 4_000];

/** What went on for so long was well again. */
const wentWellMs = 10_000;
