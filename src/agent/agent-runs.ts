import { setMaxListeners } from "node:events";

interface Work {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  /** True if the agent was woken during this work, after the last interrupt. */
  isWoken: boolean;
}

interface Ports {
  /** Must not reject. */
  run(signal: AbortSignal): Promise<void>;
  /** True if another run may follow the run that has just ended. */
  mayRunAgain(): boolean;
}

/** Lets an agent do one thing at a time: a run, or other work. A wake during work starts a run after it. */
export function createAgentRuns({ run, mayRunAgain }: Ports) {
  let current: Work | undefined;

  const start = () => {
    const abort = new AbortController();
    // Every call of an answer listens, and an answer may have dozens.
    setMaxListeners(0, abort.signal);
    current = { abort, ended: run(abort.signal).then(() => end(mayRunAgain())), isWoken: false };
  };
  /** Between two runs there is no moment in which the agent looks idle. */
  const end = (mayContinue: boolean) => {
    const continues = current?.isWoken && mayContinue;
    current = undefined;
    if (continues) start();
  };
  const forgetWake = () => {
    if (current) current.isWoken = false;
  };

  return {
    get running() {
      return current !== undefined;
    },
    wake() {
      if (current) current.isWoken = true;
      else start();
    },
    forgetWake,
    async interrupt(reason: Error) {
      forgetWake();
      current?.abort.abort(reason);
      await current?.ended;
    },
    /** Does other work. The agent must not be running. */
    async doWork<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const abort = new AbortController();
      const working = work(abort.signal);
      const ignore = () => undefined;
      current = { abort, ended: working.then(ignore, ignore), isWoken: false };
      try {
        return await working;
      } finally {
        end(true);
      }
    },
    /** Resolves when nothing is in progress. */
    async ended() {
      for (let work = current; work; work = current) await work.ended;
    },
  };
}
