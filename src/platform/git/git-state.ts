import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type GitOptions, runGit } from "./run-git.ts";
import { realPathSync } from "../files/real-path.ts";

/**
 * The facts about the repository that an agent gets. The text comes from the repository: it is data, never
 * instructions.
 */
export interface GitState {
  /** Undefined on a detached head. */
  readonly branch: string | undefined;
  /** `git status --short`, at most 40 lines; empty when nothing has changed. */
  readonly status: readonly string[];
  /** Number of status lines that were cut. */
  readonly moreChanges: number;
  /** The last five: short hash and subject. */
  readonly commits: readonly string[];
}

/** Returns undefined if nothing can be said: git is missing, fails, or needs more than ten seconds. */
export async function gitState(
  cwd: string,
  env: GitOptions["env"] = {},
  signal?: AbortSignal,
): Promise<GitState | "no repository" | undefined> {
  if (repositoryFolder(cwd) === undefined) return "no repository";
  const base = { cwd, env, timeoutMs: 10_000, limitBytes: 256 * 1024, ...(signal && { signal }) };
  const settings = await disabledFilterSettings(base);
  if (settings === undefined) return undefined;
  const [status, log] = await Promise.all([
    runGit(["status", "--porcelain", "--branch", "--ignore-submodules=all"], { ...base, settings }),
    runGit(["log", "-5", "--format=%h %s", "--no-show-signature"], { ...base, settings }),
  ]);
  if (!status.ok) return undefined;
  const [head, ...changes] = lines(status.stdout);
  return {
    branch: branchName(head ?? ""),
    status: changes.slice(0, 40),
    moreChanges: Math.max(0, changes.length - 40),
    commits: log.ok ? lines(log.stdout) : [],
  };
}

/** Returns only the branch, with one process. Undefined if nothing can be said. */
export async function gitBranch(
  cwd: string,
  env: GitOptions["env"] = {},
): Promise<Pick<GitState, "branch"> | "no repository" | undefined> {
  if (repositoryFolder(cwd) === undefined) return "no repository";
  const found = await runGit(["symbolic-ref", "--quiet", "--short", "HEAD"], { cwd, env, timeoutMs: 10_000 });
  // 1: the head is detached.
  if (!found.ok && found.exitCode !== 1) return undefined;
  return { branch: found.ok ? found.stdout.trim() : undefined };
}

/** Returns the top folder of the checkout that a folder is in, without a process. Undefined outside a repository. */
export function repositoryFolder(folder: string): string | undefined {
  const find = (path: string): string | undefined => {
    if (existsSync(join(path, ".git"))) return path;
    const parent = dirname(path);
    return parent === path ? undefined : find(parent);
  };
  return find(realPathSync(folder));
}

/** Content filters are commands in the repository's config, and `git status` would run them. */
async function disabledFilterSettings(base: GitOptions): Promise<Record<string, string> | undefined> {
  const found = await runGit(["config", "-z", "--name-only", "--get-regexp", "^filter\\."], base);
  // 1: there are none. This is also the result outside a repository; the next command detects that.
  if (!found.ok && found.exitCode !== 1) return undefined;
  const off: Record<string, string> = {};
  for (const key of found.stdout.split("\0").filter(Boolean)) {
    const name = key.slice(0, key.lastIndexOf("."));
    for (const part of ["clean", "smudge", "process"]) off[`${name}.${part}`] = "";
    off[`${name}.required`] = "false";
  }
  return off;
}

/** `## main...origin/main [ahead 1]`, `## No commits yet on main`, `## HEAD (no branch)`. */
function branchName(line: string): string | undefined {
  const text = line.replace(/^## (No commits yet on )?/, "");
  if (text.startsWith("HEAD (no branch)")) return undefined;
  return text.split("...")[0];
}

const lines = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(0, 200));
