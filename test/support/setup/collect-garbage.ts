import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const limitBytes = 200_000_000;

/**
 * Frees memory if this worker has much. To start a process, Node copies the page tables of the worker: with 500 MB
 * that takes longer than a git command.
 */
export function collectGarbage(): void {
  if (process.memoryUsage.rss() < limitBytes) return;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}
