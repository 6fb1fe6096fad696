import { runProcess } from "../../src/platform/index.ts";
import type { Workspace } from "./workspace.ts";

export interface TestRun {
  readonly green: boolean;
  /** For example `2 passed, 1 failed`. */
  readonly summary: string;
}

export interface TestsToRun {
  /** For example `node --test …`. Runs with the Node that runs this program. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Workspace["env"];
  readonly signal: AbortSignal;
}

/** Runs the tests of a demo's repository, regardless of the agents' reports. */
export async function runTests({ command, cwd, env, signal }: TestsToRun): Promise<TestRun> {
  let output = "";
  const [, ...args] = command.split(" ");
  const result = await runProcess({
    command: process.execPath,
    args,
    cwd,
    env,
    signal,
    timeoutMs: 60_000,
    onOutput: (chunk) => {
      output += chunk.toString("utf8");
    },
  });
  signal.throwIfAborted();
  const count = (what: string) => Number(new RegExp(`^\\S+ ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  const [passed, failed] = [count("pass"), count("fail")];
  const counts = failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
  return {
    // A run without tests is not a success.
    green: result.exitCode === 0 && passed > 0 && failed === 0,
    summary: result.startFailure ?? (passed + failed > 0 ? counts : `no test ran (exit code ${result.exitCode})`),
  };
}
