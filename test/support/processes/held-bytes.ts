import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What is in memory now and has to stay there. Nothing else runs between two calls in one step. */
export function heldBytes(): number {
  for (let times = 0; times < 4; times++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
