import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const programs = resolve(import.meta.dirname, "../programs");

/** Bundles a TypeScript program of the tests into one file that a child process can run on any Node. */
export async function buildProgram(entry: string): Promise<{ path: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-program-"));
  const path = join(folder, "program.mjs");
  await bundle(resolve(programs, entry), path);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Writes to a file, or to a folder if `output` ends in `/`. Runs in a separate process: the bundler keeps 150 MB of
 * memory, and the more memory a process has, the longer it takes to start another.
 */
export async function bundle(input: string, output: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(programs, "bundle.mjs"), input, output]);
}
