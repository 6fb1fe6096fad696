import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

/** Bundles a TypeScript program of the tests into one file that a child process can run on any Node. */
export async function buildProgram(entry: string): Promise<{ path: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-program-"));
  const path = join(folder, "program.mjs");
  const bundle = await rolldown({
    input: resolve(import.meta.dirname, "..", entry),
    platform: "node",
    logLevel: "silent",
    transform: { define: { __TROUPE_VERSION__: JSON.stringify("0.0.0-test") } },
  });
  await bundle.write({ file: path, format: "esm", codeSplitting: false });
  await bundle.close();
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
