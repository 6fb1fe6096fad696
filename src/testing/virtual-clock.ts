import type { Clock } from "../platform/index.ts";

/**
 * A clock for simulations. No caller waits for real time: when nothing is left to run, the time jumps to the next
 * sleeper. The same program gives the same order of events in every run.
 *
 * Sleepers wake one by one, by time and then in the order of their calls. Everything that a woken sleeper starts runs
 * to its end before the next one wakes. Code that waits for real timers, sockets or child processes does not count as
 * running, so a simulated program must not use them. Files and `setImmediate` count.
 */
export interface VirtualClock extends Clock {
  /**
   * Lets time pass until the work is done. `stalled` means that the work can never end: nothing runs and no caller
   * sleeps. Rejects if the work rejects. Only one virtual clock of a process can run at a time.
   */
  run<T>(work: Promise<T>, limits?: VirtualRunLimits): Promise<VirtualRun<T>>;
  /** Resolves when nothing is left to run at the present time. */
  settle(): Promise<void>;
  /** Moves the time of day, as a user or a time server does. Sleeps and durations are not affected. */
  shiftTimeOfDay(ms: number): void;
  /** The number of unfinished sleeps. */
  readonly sleeping: number;
}

export interface VirtualRunLimits {
  /** Virtual milliseconds from the start of the run. */
  readonly withinMs?: number;
}

export type VirtualRun<T> =
  | { readonly outcome: "done"; readonly value: T }
  | { readonly outcome: "stalled" }
  | { readonly outcome: "late" };

export function createVirtualClock({ start = Date.UTC(2026, 0, 1) } = {}): VirtualClock {
  const sleepers: Sleeper[] = [];
  let elapsed = 0;
  let timeOfDay = start;

  /** Behind all sleepers with the same time. */
  const add = (sleeper: Sleeper) => {
    let at = sleepers.length;
    while (at > 0 && (sleepers[at - 1] as Sleeper).at > sleeper.at) at -= 1;
    sleepers.splice(at, 0, sleeper);
  };

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const wake = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const abort = () => {
        sleepers.splice(sleepers.indexOf(sleeper), 1);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = { at: elapsed + Math.max(0, ms), wake };
      add(sleeper);
      signal?.addEventListener("abort", abort, { once: true });
    });

  const run = async <T>(work: Promise<T>, { withinMs = Infinity }: VirtualRunLimits = {}): Promise<VirtualRun<T>> => {
    const end = elapsed + withinMs;
    let isOver = false;
    const over = () => void (isOver = true);
    work.then(over, over);
    for (;;) {
      await settle();
      if (isOver) return { outcome: "done", value: await work };
      const next = sleepers[0];
      if (next === undefined) return { outcome: "stalled" };
      if (next.at > end) return { outcome: "late" };
      sleepers.shift();
      elapsed = next.at;
      next.wake();
    }
  };

  return {
    now: () => timeOfDay + elapsed,
    monotonic: () => elapsed,
    sleep,
    run,
    settle,
    shiftTimeOfDay: (ms) => void (timeOfDay += ms),
    get sleeping() {
      return sleepers.length;
    },
  };
}

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Promises are settled before each round of the event loop, so only rounds, files and child processes are left to wait for. */
async function settle(): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!process.getActiveResourcesInfo().some((kind) => pending.has(kind))) return;
  }
  throw new Error("The event loop is never idle. Does another virtual clock run in this process?");
}

const pending: ReadonlySet<string> = new Set(["Immediate", "FSReqCallback", "FSReqPromise", "CloseReq", "ProcessWrap"]);
const maxRounds = 1_000_000;
