/** A source of time that is passed as an argument, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970, for records. */
  now(): number;
  /** Milliseconds that never go back, for durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

/** Runs the work with a signal that aborts after `ms`. The timer ends with the work. */
export async function withTimeLimit<T>(
  clock: Pick<Clock, "sleep">,
  ms: number,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  const [late, done] = [new AbortController(), new AbortController()];
  const timer = sleepUnlessAborted(clock, ms, done.signal).then((isLate) => {
    if (isLate) late.abort(new DOMException(`not done after ${ms} ms`, "TimeoutError"));
  });
  try {
    return await work(late.signal);
  } finally {
    done.abort();
    await timer;
  }
}

/** Resolves to true after `ms`, or to false as soon as the signal aborts. */
export async function sleepUnlessAborted(
  clock: Pick<Clock, "sleep">,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
