/** Limits how many jobs run at the same time. */
export interface ConcurrencyLimit {
  /** Resolves with a release function when there is capacity, or with undefined when `signal` aborts first. */
  acquire(signal: AbortSignal): Promise<(() => void) | undefined>;
  drained(): Promise<void>;
}

export function createConcurrencyLimit(most: number): ConcurrencyLimit {
  let running = 0;
  const waiting = new Set<() => void>();
  const isFull = () => running >= most;

  const change = async (signal?: AbortSignal) => {
    let notify: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      notify = resolve;
      waiting.add(notify);
      signal?.addEventListener("abort", notify, { once: true });
    });
    waiting.delete(notify);
    signal?.removeEventListener("abort", notify);
  };

  return {
    async acquire(signal) {
      while (isFull() && !signal.aborted) await change(signal);
      if (signal.aborted) return undefined;
      running += 1;
      return () => {
        running -= 1;
        for (const notify of waiting) notify();
      };
    },
    async drained() {
      for (;;) {
        if (running === 0) return;
        await change();
      }
    },
  };
}
