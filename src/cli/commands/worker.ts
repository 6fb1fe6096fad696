import type { PermissionMode } from "../../protocol/index.ts";
import { runWorker } from "../../session/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { listenToSignals } from "../signals.ts";

export interface WorkerFlags {
  readonly name?: string;
  readonly labels?: string;
  readonly maxAgents?: number;
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly settings?: string;
  readonly folder?: string;
}

/** Runs agents for sessions on other machines. The first interrupt takes no more of them, the second leaves what runs to others. */
export async function runWorkerCommand(flags: WorkerFlags): Promise<number> {
  const stop = new AbortController();
  const leaving = new AbortController();
  const logLine = (line: string) => void process.stdout.write(`troupe worker: ${line}\n`);
  const signals = listenToSignals({
    interrupt() {
      logLine("takes no more; interrupt it again to leave what runs to others");
      stop.abort();
    },
    leave() {
      stop.abort();
      leaving.abort();
    },
  });
  // Node leaves when nothing is pending in its event loop, whatever somebody may still be waiting for.
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
