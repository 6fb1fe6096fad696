import { type Clock, sleepUnlessAborted } from "../../platform/index.ts";
import { cut, oneLine } from "../../protocol/index.ts";

/** A background job of a teammate that runs. */
interface RunningJob {
  readonly kind: "shell" | "agent";
  readonly description: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * The wait of a teammate for its background jobs after its turn: their end wakes it. A command that runs too long, such
 * as a server, is not waited for. An agent ends by itself.
 */
export interface JobWait {
  /** The jobs that it waits for. */
  awaited(): readonly RunningJob[];
  /** The commands that run too long to be waited for. */
  left(): readonly RunningJob[];
  /** Calls `onOver` when no job is waited for because all run too long, unless `stop` comes first. */
  start(onOver: () => void): void;
  stop(): void;
}

export interface JobWaitOptions {
  /** Its background jobs that run. */
  readonly jobs: () => readonly RunningJob[];
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Aborts when the teammate is closed. */
  readonly signal: AbortSignal;
}

/** How long after its start a command is waited for. */
const commandWaitMs = 600_000;

export function createJobWait({ jobs, clock, signal }: JobWaitOptions): JobWait {
  let stopped = new AbortController();
  const leftMs = ({ kind, startedAt }: RunningJob) =>
    kind === "agent" ? Infinity : startedAt + commandWaitMs - clock.now();
  const awaited = () => jobs().filter((job) => leftMs(job) > 0);

  const waitUntilOver = async (over: AbortSignal) => {
    for (;;) {
      const longest = Math.max(...awaited().map(leftMs));
      // The end of an agent, or of all jobs, wakes the teammate.
      if (!Number.isFinite(longest)) return jobs().length > 0 && awaited().length === 0;
      if (!(await sleepUnlessAborted(clock, longest, over))) return false;
    }
  };
  return {
    awaited,
    left: () => jobs().filter((job) => leftMs(job) <= 0),
    start(onOver) {
      stopped.abort();
      stopped = new AbortController();
      const over = AbortSignal.any([signal, stopped.signal]);
      void waitUntilOver(over).then((isOver) => {
        if (isOver && !over.aborted) onOver();
      });
    },
    stop: () => stopped.abort(),
  };
}

const longestName = 80;

/** `command npm test`. */
export const jobName = ({ kind, description }: RunningJob): string =>
  `${kind === "agent" ? "agent" : "command"} ${cut(oneLine(description), longestName)}`;

/** `command npm test, 40 s`. */
export const jobText = (job: RunningJob, now: number): string =>
  `${jobName(job)}, ${Math.round((now - job.startedAt) / 1000)} s`;
