import { runWorker, type WorkerOptions } from "../../remote/worker/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { listenToSignals } from "../signals.ts";

type SameFlag = "name" | "maxAgents" | "model" | "permissionMode" | "settings" | "bus" | "folder";

export interface WorkerFlags extends Partial<Pick<WorkerOptions, SameFlag>> {
  readonly labels?: string;
}

/**
 * Runs agents for sessions on other machines. After the first interrupt it claims no more jobs; the second releases the
 * running jobs to other workers.
 */
export async function runWorkerCommand(flags: WorkerFlags): Promise<number> {
  const stop = new AbortController();
  const leaving = new AbortController();
  const logLine = (line: string) => void process.stdout.write(`troupe worker: ${line}\n`);
  const signals = listenToSignals({
    interrupt() {
      logLine("claims no more jobs; interrupt again to release the running jobs to other workers");
      stop.abort();
    },
    leave() {
      stop.abort();
      leaving.abort();
    },
  });
  // Node exits when its event loop is empty, even while a promise is pending. The timer prevents that.
  const alive = setInterval(() => undefined, 60_000);
  const { labels = "", maxAgents = 4, ...more } = flags;
  try {
    await runWorker({
      ...more,
      cwd: process.cwd(),
      env: process.env,
      labels: labels.split(",").flatMap((label) => (label.trim() === "" ? [] : [label.trim()])),
      maxAgents,
      signal: stop.signal,
      leaving: leaving.signal,
      say: logLine,
    });
    return signals.exitCode ?? exitCodes.done;
  } finally {
    clearInterval(alive);
    signals.stop();
  }
}
