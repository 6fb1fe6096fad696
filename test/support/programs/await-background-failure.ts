import { setTimeout as pause } from "node:timers/promises";
import { openLineFile } from "../../../src/platform/index.ts";

/** await-background-failure PATH: appends until an append reports a failed sync, then once more. Prints the results. */
const file = openLineFile(process.argv[2] ?? "", { durability: "soon" });
let stored = 0;
const rejected: unknown[] = [];
while (rejected.length === 0 && stored < 1_000) {
  await append();
  await pause(10);
}
await append();
await file.close();
console.log(JSON.stringify({ rejected, isAllThere: file.readFrom(0).records.length === stored }));

async function append(): Promise<void> {
  try {
    await file.append([{ n: stored }]);
    stored += 1;
  } catch (error) {
    rejected.push((error as { cause: { code: string } }).cause.code);
  }
}
