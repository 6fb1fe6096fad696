import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runGit, runProcess } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { Workspace } from "../workspace.ts";
import { testCommand, tillFiles } from "./till-files.ts";

export interface TillRepository {
  readonly path: string;
  /** Runs the tests ourselves, whatever anybody says about them. */
  runTests(signal: AbortSignal): Promise<{ readonly green: boolean; readonly summary: string }>;
  /** The files that are not as they were committed. */
  changed(): Promise<readonly string[]>;
}

/** A small project with a failing test and one commit. */
export async function createTillRepository(workspace: Workspace, signal: AbortSignal): Promise<TillRepository> {
  const { env } = workspace;
  const path = join(workspace.root, "till");
  for (const [name, text] of Object.entries(tillFiles)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  const git = async (...args: readonly string[]) => {
    const result = await runGit([...config, ...args], { cwd: path, env, signal });
    signal.throwIfAborted();
    if (result.ok) return result.stdout;
    throw new TroupeError("usage", `the demo needs git, and git says: ${result.stderr.trim() || "nothing"}`);
  };
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=A till that knows discounts");
  return {
    path,
    runTests: (aborted) => runTests(path, env, aborted),
    changed: async () =>
      (await git("status", "--porcelain"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.slice(3)),
  };
}

const config = [
  "user.name=Troupe Demo",
  "user.email=demo@troupe.invalid",
  "commit.gpgsign=false",
  "core.hooksPath=/dev/null",
  "core.autocrlf=false",
].flatMap((setting) => ["-c", setting]);

async function runTests(cwd: string, env: Workspace["env"], signal: AbortSignal) {
  let output = "";
  const [, ...args] = testCommand.split(" ");
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
  return {
    // No test that ran is no success.
    green: result.exitCode === 0 && passed > 0 && failed === 0,
    summary: result.startFailure ?? `${passed} passed, ${failed} failed`,
  };
}
