import { isDiskFull } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";

/** Who waits for space, and until when. */
export interface RetryContext {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

/** Does it, and does it again for as long as the disk is full. Once `signal` has aborted it rejects with why it could not. */
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
