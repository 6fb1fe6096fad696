import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runGit } from "../../src/platform/index.ts";
import { TroupeError } from "../../src/protocol/index.ts";
import { runTests, type TestRun } from "../shared/run-tests.ts";
import type { Workspace } from "../shared/workspace.ts";
import { testCommand, sampleAppFiles } from "./sample-app-files.ts";

export interface SampleAppRepository {
  readonly path: string;
  /** Runs the tests, regardless of the agents' reports. */
  runTests(signal: AbortSignal): Promise<TestRun>;
  /** Returns the files that differ from the commit. */
  changed(): Promise<readonly string[]>;
}

/** Creates a small project with a failing test and one commit. */
export async function createSampleAppRepository(
  workspace: Workspace,
  signal: AbortSignal,
): Promise<SampleAppRepository> {
  const { env } = workspace;
  const path = join(workspace.root, "till");
  for (const [name, text] of Object.entries(sampleAppFiles)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  const git = async (...args: readonly string[]) => {
    const result = await runGit([...config, ...args], { cwd: path, env, signal });
    signal.throwIfAborted();
    if (result.ok) return result.stdout;
    throw new TroupeError("usage", `the demo needs git, but git failed: ${result.stderr.trim() || "no output"}`);
  };
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=A till that knows discounts");
  return {
    path,
    runTests: (aborted) => runTests({ command: testCommand, cwd: path, env, signal: aborted }),
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
