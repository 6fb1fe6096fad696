import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runGit, runProcess } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { sampleFiles, testCommand } from "./sample-files.ts";
import type { Workspace } from "./workspace.ts";

export interface SampleRepository {
  readonly path: string;
  /** Runs the tests ourselves, whatever anybody says about them. */
  runTests(signal: AbortSignal): Promise<TestRun>;
  /** `git log -1 --stat`, line by line. */
  lastCommit(signal: AbortSignal): Promise<readonly string[]>;
}

export interface TestRun {
  readonly green: boolean;
  /** `2 passed, 1 failed`. */
  readonly summary: string;
}

/** A small project with one failing test and one commit. Nothing in it has to be installed. */
export async function createSampleRepository(workspace: Workspace, signal: AbortSignal): Promise<SampleRepository> {
  const { env } = workspace;
  const path = join(workspace.root, "fair-share");
  for (const [name, text] of Object.entries(sampleFiles)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }

  const git = async (...args: readonly string[]) => {
    const result = await runGit(args, { cwd: path, env, signal });
    signal.throwIfAborted();
    if (result.ok) return result.stdout;
    throw new TroupeError("usage", `the demo needs git, and git says: ${result.stderr.trim() || "nothing"}`);
  };
  await git("init", "--quiet", "--initial-branch=main");
  for (const [key, value] of Object.entries(repositoryConfig)) await git("config", key, value);
  await git("add", ".");
  await git("commit", "--quiet", "--message=Split a bill among friends");

  return {
    path,
    runTests: (signal) => runTests(path, env, signal),
    lastCommit: async () => (await git("log", "-1", "--stat=76", "--format=%h %s")).trimEnd().split("\n"),
  };
}

/** In the repository itself, where neither the user's nor the system's git config is stronger. */
const repositoryConfig = {
  "user.name": "Troupe Demo",
  "user.email": "demo@troupe.invalid",
  "commit.gpgsign": "false",
  "core.hooksPath": "/dev/null",
  "core.autocrlf": "false",
};

async function runTests(cwd: string, env: Workspace["env"], signal: AbortSignal): Promise<TestRun> {
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
  const counts = failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
  return {
    // No test that ran is no success.
    green: result.exitCode === 0 && passed > 0 && failed === 0,
    summary: result.startFailure ?? (passed + failed > 0 ? counts : `no test ran (exit code ${result.exitCode})`),
  };
}
