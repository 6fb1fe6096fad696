import type { Clock } from "../platform/index.ts";

/** A clock that a test controls. */
export interface TestClock extends Clock {
  /** Advances the time and wakes sleepers in the order of their times. */
  advance(ms: number): Promise<void>;
  /** The number of unfinished sleeps. */
  readonly sleeping: number;
  /** The requested length of every sleep so far, in order. */
  readonly slept: readonly number[];
}

/** With `auto`, no caller waits: a sleep moves the clock to its end and returns. */
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
        // A woken caller may sleep again within the time that passes.
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
    },
  };

  function due(until: number) {
    return [...sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
