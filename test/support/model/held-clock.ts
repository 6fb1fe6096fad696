import type { Clock } from "../../../src/platform/index.ts";

/** A clock that stands still until the test moves it. */
export interface HeldClock extends Clock {
  /** The current sleeps in milliseconds, in the order in which they began. */
  sleeping(): number[];
  advance(ms: number): Promise<void>;
  /** Resolves once a caller sleeps for exactly this long. */
  untilSleeping(ms: number): Promise<void>;
}

export function heldClock(): HeldClock {
  let time = 0;
  const sleepers = new Set<{ until: number; ms: number; wake: () => void }>();
  const watchers = new Set<() => void>();
  return {
    now: () => Date.parse("2026-11-15T12:00:00Z") + time,
    monotonic: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
          resolve();
        };
        const sleeper = { until: time + ms, ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", onAbort, { once: true });
        for (const watcher of watchers) watcher();
      }),
    sleeping: () => [...sleepers].map((sleeper) => sleeper.ms),
    async advance(ms) {
      const end = time + ms;
      while (true) {
        const due = [...sleepers].filter((sleeper) => sleeper.until <= end).sort((a, b) => a.until - b.until)[0];
        if (!due) break;
        time = Math.max(time, due.until);
        due.wake();
        await settle();
      }
      time = end;
      await settle();
    },
    untilSleeping: (ms) =>
      new Promise((resolve) => {
        const look = () => {
          if (![...sleepers].some((sleeper) => sleeper.ms === ms)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

/** Lets everything that is ready to run do so. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A clock on which every sleep ends at once and advances the time by its length. */
export function fastClock(): Clock & { readonly slept: number[] } {
  let time = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => Date.parse("2026-11-15T12:00:00Z") + time,
    monotonic: () => time,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      time += ms;
      await settle();
      signal?.throwIfAborted();
    },
  };
}
