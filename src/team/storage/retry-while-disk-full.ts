import { isDiskFull } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";

/** The clock and the end of waiting for disk space. */
export interface RetryContext {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

/** Runs `work`, and again while the disk is full. Rejects with the last error when `signal` aborts. */
export async function retryWhileDiskFull<T>(work: () => Promise<T>, { clock, signal }: RetryContext): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await clock.sleep(retryMs, signal).catch(() => {
        throw error;
      });
    }
  }
}

const retryMs = 1_000;
