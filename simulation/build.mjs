// Bundles the simulation into one file: Node 20 cannot run TypeScript, and modules that load late would take real time.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { library } from "../rolldown.config.mjs";

const root = join(import.meta.dirname, "..");

/** Returns the path of the bundle. */
export async function buildSimulation() {
  const folder = join(root, "node_modules", ".cache", "simulation");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `simulation-${process.pid}.mjs`);
  const { platform, resolve, external, transform } = library;
  const input = "simulation/main.ts";
  const bundle = await rolldown({ platform, resolve, external, transform, cwd: root, input, logLevel: "silent" });
  try {
    await bundle.write({ file, format: "esm", codeSplitting: false });
  } finally {
    await bundle.close();
  }
  return file;
}
