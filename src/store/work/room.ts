/** Place for so many at once. */
export interface Room {
  /** Resolves with how it is left, when there is room; undefined when `signal` aborts before. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
  empty(): Promise<void>;
}

export function createRoom(most: number): Room {
  let inside = 0;
  const waiting = new Set<() => void>();
  const isFull = () => inside >= most;

  const change = async (signal?: AbortSignal) => {
    let look: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      look = resolve;
      waiting.add(look);
      signal?.addEventListener("abort", look, { once: true });
    });
    waiting.delete(look);
    signal?.removeEventListener("abort", look);
  };

  return {
    async enter(signal) {
      while (isFull() && !signal.aborted) await change(signal);
      if (signal.aborted) return undefined;
      inside += 1;
      return () => {
        inside -= 1;
        for (const look of waiting) look();
      };
    },
    async empty() {
      for (;;) {
        if (inside === 0) return;
        await change();
      }
    },
  };
}
