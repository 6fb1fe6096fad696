import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { type Clock, type CreateId, isInside, projectName, runGit } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { CommandSandbox } from "../../tool/index.ts";
import { disabledGitFilters } from "./disable-git-filters.ts";

/** The environment for team work in a repository. Code below this never reads the process environment. */
export interface RepositoryContext {
  readonly cwd: string;
  /** `TROUPE_HOME`. */
  readonly home: string;
  readonly userHome: string;
  /** For git and the project's own commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly signal?: AbortSignal;
  /** Makes the sandbox for checks in a folder. Without it they run without walls. */
  readonly sandboxFor?: ((folder: string) => CommandSandbox | undefined) | undefined;
}

export interface GitCall {
  readonly cwd?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Lets a later start detect whether a git of a killed process still runs. */
  readonly operation?: string;
}

/** A repository as its worktrees share it. */
export interface Repository {
  readonly place: RepositoryContext;
  /** The top folder of the worktree that contains `cwd`. */
  readonly top: string;
  /** The git folder of this worktree, and the one that all worktrees share. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly isShallow: boolean;
  /**
   * The data about its worktrees. In `TROUPE_HOME`, so that the repository cannot change it and a copy of the
   * repository does not carry it.
   */
  readonly stateFolder: string;
  git(args: readonly string[], call?: GitCall): ReturnType<typeof runGit>;
  /** The output without its last newline. Throws git's error message on failure. */
  ask(args: readonly string[], call?: GitCall): Promise<string>;
}

export async function openRepository(place: RepositoryContext): Promise<Repository> {
  const base = { cwd: place.cwd, env: place.env, ...(place.signal && { signal: place.signal }) };
  const found = await runGit(
    [
      "rev-parse",
      "--path-format=absolute",
      "--show-toplevel",
      "--git-dir",
      "--git-common-dir",
      "--is-shallow-repository",
    ],
    base,
  );
  if (!found.ok) throw notUsable(place.cwd, found.stderr);
  const [top = "", git = "", common = "", shallow] = found.stdout.split("\n");
  const [gitDir, commonDir] = await Promise.all([realpath(git), realpath(common)]);
  if (gitDir !== commonDir && !isInside(gitDir, join(commonDir, "worktrees"))) {
    const message = `${gitDir} claims to belong to the repository ${commonDir}, which does not know it. Nothing was changed.`;
    throw new TroupeError("git", message);
  }
  const off = await disabledGitFilters(base);
  const run: Repository["git"] = (args, call = {}) =>
    runGit(args, {
      ...base,
      cwd: call.cwd ?? top,
      env: { ...place.env, ...(call.operation && { [operationVariable]: call.operation }) },
      settings: { ...quiet, ...off, ...call.settings },
      timeoutMs: gitTimeoutMs,
      limitBytes: outputLimitBytes,
    });
  return {
    place,
    top,
    gitDir,
    commonDir,
    isShallow: shallow === "true",
    stateFolder: join(place.home, "worktrees", projectName(commonDir)),
    git: run,
    async ask(args, call) {
      const result = await run(args, call);
      if (!result.ok) throw gitFailed(args, result.stderr);
      return result.stdout.replace(/\n$/, "");
    },
  };
}

/** The short name of the branch that is checked out. Undefined on a detached head. */
export async function currentBranch(repository: Repository): Promise<string | undefined> {
  const head = await repository.git(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return head.ok ? head.stdout.trim() : undefined;
}

/** Set in the environment of every git that a creation, removal or landing starts. */
export const operationVariable = "TROUPE_OPERATION";

export const gitFailed = (args: readonly string[], stderr: string) =>
  new TroupeError(
    "git",
    `git ${args.find((arg) => !arg.startsWith("-")) ?? ""} failed: ${gitErrorText(stderr) || "it was killed"}`,
  );

/** Git's error message in one line. */
export const gitErrorText = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) => /^(fatal|error):/.test(line))
    .map((line) => line.replace(/^(fatal|error): /, ""))
    .concat(stderr.trim().split("\n").slice(-1))
    .slice(0, 1)
    .join("")
    .slice(0, 400);

/**
 * Beside the main worktree, so that tools that search or watch the project do not see its files twice, or take them for
 * git's own. In the Troupe home if the git folder is somewhere else (a submodule, a bare repository).
 */
export function defaultWorktreeFolder(repository: Pick<Repository, "commonDir" | "stateFolder">): string {
  const { commonDir } = repository;
  const top = dirname(commonDir);
  const plain = basename(commonDir) === ".git" && !top.split(sep).includes(".git") && dirname(top) !== top;
  return plain ? `${top}.troupe` : homeWorktreeFolder(repository);
}

export const homeWorktreeFolder = ({ stateFolder }: Pick<Repository, "stateFolder">) => join(stateFolder, "trees");

function notUsable(cwd: string, stderr: string): TroupeError {
  if (/bare repository|must be run in a work tree/.test(stderr)) {
    return new TroupeError(
      "git",
      `${cwd} is in a bare repository or inside a git folder: there is no working tree. Create one (git worktree add …).`,
    );
  }
  if (/not a git repository/.test(stderr)) {
    return new TroupeError("git", `${cwd} is not in a git repository, which worktrees need. Create one with git init.`);
  }
  return new TroupeError("git", `cannot use ${cwd} as a git repository: ${gitErrorText(stderr)}`);
}

const gitTimeoutMs = 15 * 60_000;
const outputLimitBytes = 256 * 1024 * 1024;

/** No background work, no signing, no changes to unnamed refs, and longer timeouts for locks of other gits. */
const quiet: Readonly<Record<string, string>> = {
  "gc.auto": "0",
  "maintenance.auto": "false",
  "commit.gpgSign": "false",
  "rebase.autoStash": "false",
  "rebase.updateRefs": "false",
  "rebase.autoSquash": "false",
  "rerere.enabled": "false",
  "core.filesRefLockTimeout": "3000",
  "core.packedRefsTimeout": "3000",
};
