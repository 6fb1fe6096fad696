import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runGit } from "../../src/platform/index.ts";
import { TroupeError } from "../../src/protocol/index.ts";
import { runTests, type TestRun } from "../shared/run-tests.ts";
import { sampleFiles, testCommand } from "./sample-files.ts";
import type { Workspace } from "../shared/workspace.ts";

export interface SampleRepository {
  readonly path: string;
  /** Runs the tests, regardless of the agents' reports. */
  runTests(signal: AbortSignal): Promise<TestRun>;
  /** Reads the state of the repository from git. */
  readState(): Promise<RepositoryState>;
}

export interface RepositoryState {
  /** Hash and subject of each commit since the first, oldest first. */
  readonly commits: readonly string[];
  /** `3 files changed, …` since the first commit. */
  readonly changed: string;
  /** Other worktrees of the repository, and branches of agents. */
  readonly leftoverWorktrees: readonly string[];
}

/** Creates a small project with a failing test and one commit. */
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
    throw new TroupeError("usage", `the demo needs git, but git failed: ${result.stderr.trim() || "no output"}`);
  };
  await git("init", "--quiet", "--initial-branch=main");
  for (const [key, value] of Object.entries(repositoryConfig)) await git("config", key, value);
  await git("add", ".");
  await git("commit", "--quiet", "--message=Split a bill among friends");
  const first = (await git("rev-parse", "HEAD")).trim();

  return {
    path,
    runTests: (signal) => runTests({ command: testCommand, cwd: path, env, signal }),
    async readState() {
      const worktrees = linesOf(await git("worktree", "list", "--porcelain")).filter((line) =>
        line.startsWith("worktree "),
      );
      return {
        commits: linesOf(await git("log", "--reverse", "--format=%h %s", `${first}..HEAD`)),
        changed: (await git("diff", "--shortstat", first, "HEAD")).trim(),
        leftoverWorktrees: [
          ...worktrees.slice(1),
          ...linesOf(await git("for-each-ref", "--format=%(refname:short)", "refs/heads/troupe")),
        ],
      };
    },
  };
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

/** Set in the repository itself, where it overrides the user's and the system's git config. */
const repositoryConfig = {
  "user.name": "Troupe Demo",
  "user.email": "demo@troupe.invalid",
  "commit.gpgsign": "false",
  "core.hooksPath": "/dev/null",
  "core.autocrlf": "false",
};
