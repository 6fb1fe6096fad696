import type { Clock } from "../platform/index.ts";

/** A clock that a test holds in its hand. */
export interface TestClock extends Clock {
  /** Lets time pass, waking sleepers in the order of their times. */
  advance(ms: number): Promise<void>;
  /** Sleeps that are still going on. */
  readonly sleeping: number;
  /** How long every sleep so far was meant to be, in order. */
  readonly slept: readonly number[];
}

/** With `auto`, nobody ever waits: a sleep moves the clock to its end and returns. */
export function createTestClock({ start = Date.UTC(2026, 0, 1), auto = false } = {}): TestClock {
  let now = start;
  const slept: number[] = [];
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    monotonic: () => now - start,
    slept,
    get sleeping() {
      return sleepers.size;
    },
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      slept.push(ms);
      if (auto) {
        now += ms;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const done = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", abort);
        };
        const sleeper = { at: now + ms, wake: () => (done(), resolve()) };
        const abort = () => (done(), reject(signal?.reason as Error));
        sleepers.add(sleeper);
        signal?.addEventListener("abort", abort, { once: true });
      });
    },
    async advance(ms) {
      const until = now + ms;
      for (let next = due(until); next; next = due(until)) {
        now = Math.max(now, next.at);
        next.wake();
        // Whoever wakes may go to sleep again within the time that passes.
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
    },
  };

  function due(until: number) {
    return [...sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
