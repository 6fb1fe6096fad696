/** Place for so many at once. */
export interface ConcurrencyLimit {
  /** Resolves with how it is left, when there is room; undefined when `signal` aborts before. */
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
