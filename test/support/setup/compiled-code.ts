import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The `cache` folder of a home in which the built program has run; empty if it is not built. */
    readonly compiledCode: string;
  }
}

const program = resolve(import.meta.dirname, "../../../dist/troupe.cjs");

/**
 * Runs the built program until V8's compile cache is stored. Otherwise every start in a test's new home would compile
 * everything again, nearly half of its time.
 */
export default function keepCompiledCode({ provide }: TestProject): (() => void) | undefined {
  if (!existsSync(program)) {
    provide("compiledCode", "");
    return undefined;
  }
  const home = mkdtempSync(join(tmpdir(), "troupe-compiled-"));
  const script = join(home, "s.mjs");
  writeFileSync(
    script,
    `export default ({ result }) => (result ? { text: "done" } : { calls: [{ tool: "Bash", input: { command: "echo x" } }] });`,
  );
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home, TROUPE_HOME: join(home, ".troupe") },
      stdio: "ignore",
    });
  const asked = ["-p", "go", "--model", `scripted/${script}`, "--permission-mode", "bypassPermissions"];
  run(...asked, "--output-format", "stream-json");
  run(...asked, "--output-format", "stream-json");
  run("sessions");
  run("sessions");
  provide("compiledCode", join(home, ".troupe", "cache"));
  return () => rmSync(home, { recursive: true, force: true });
}
