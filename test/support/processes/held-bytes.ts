import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory in use after garbage collection. Nothing else runs between two calls in one synchronous step. */
export function heldBytes(): number {
  for (let times = 0; times < 4; times++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
