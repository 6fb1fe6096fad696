// `npm run simulate -- --seed N --step`: plays whole teams with generated models, in memory and on virtual time.
import { rmSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { buildSimulation } from "./build.mjs";

const file = await buildSimulation();
try {
  const { main } = await import(pathToFileURL(file).href);
  process.exitCode = await main(process.argv.slice(2));
} finally {
  rmSync(file);
}
