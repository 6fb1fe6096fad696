import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { type Clock, type CreateId, isInside, projectName, runGit } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { disabledGitFilters } from "./disable-git-filters.ts";

/** Where and for whom team work is done; nothing below reads the environment by itself. */
export interface RepositoryContext {
  readonly cwd: string;
  /** `TROUPE_HOME`. */
  readonly home: string;
  readonly userHome: string;
  /** For git and for the project's own commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly signal?: AbortSignal;
}

export interface GitCall {
  readonly cwd?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** By this a later start finds out whether a git that a killed process has started is still at work. */
  readonly operation?: string;
}

/** A repository as its worktrees share it. */
export interface Repository {
  readonly place: RepositoryContext;
  /** The top of the working tree that `cwd` is in. */
  readonly top: string;
  /** This working tree's own git folder, and the one that all share. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly isShallow: boolean;
  /** What is remembered about its worktrees: in `TROUPE_HOME`, where the repository cannot write, nor a copy of it take it along. */
  readonly stateFolder: string;
  git(args: readonly string[], call?: GitCall): ReturnType<typeof runGit>;
  /** The output without its last newline; a failure is thrown with git's own words. */
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
    const message = `${gitDir} claims to belong to the repository ${commonDir}, which does not know it. Nothing is done here.`;
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

/** In the environment of every git that a step of a creation, a removal or a landing has started. */
export const operationVariable = "TROUPE_OPERATION";

export const gitFailed = (args: readonly string[], stderr: string) =>
  new TroupeError(
    "git",
    `git ${args.find((arg) => !arg.startsWith("-")) ?? ""} failed: ${gitErrorText(stderr) || "it was ended"}`,
  );

/** What git said, in one line. */
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
 * Beside the main working tree, so that no tool that searches or watches the project meets its files twice, and no tool
 * takes them for git's own. A repository whose git folder is elsewhere (a submodule, a bare one) has them in our home.
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
      `${cwd} is in a bare repository or inside a git folder: there is no working tree. Go to one (git worktree add …).`,
    );
  }
  if (/not a git repository/.test(stderr)) {
    return new TroupeError("git", `${cwd} is not in a git repository: worktrees need one. Make one with git init.`);
  }
  return new TroupeError("git", `${cwd} cannot be used as a git repository: ${gitErrorText(stderr)}`);
}

const gitTimeoutMs = 15 * 60_000;
const outputLimitBytes = 256 * 1024 * 1024;

/** Nothing in the background, nothing signed, nothing moved that was not named; patience with other gits. */
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
