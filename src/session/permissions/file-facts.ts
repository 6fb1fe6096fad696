import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { runGit } from "../../platform/index.ts";
import type { FileFacts } from "../../tool/index.ts";

export interface FileFactsRequest {
  /** The agent's folder. */
  readonly root: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** True if no user and no other agent works in the folder: everything in it is the agent's own. */
  readonly isOwn: boolean;
  /** The paths that the agent has written, when nothing of others was lost by it. */
  readonly written: ReadonlySet<string>;
  /** The paths that hold moved files of others. They are not the agent's own, even in its own folders. */
  readonly foreign: ReadonlySet<string>;
}

/** Reads what decides whether a command may change files. Undefined if the command names no program that does. */
export async function readFileFacts(request: FileFactsRequest): Promise<FileFacts | undefined> {
  const { root, command, isOwn, written, foreign } = request;
  if (!/[>]|\b(mkdir|touch|tee|rm|rmdir|mv|cp|sed|git)\b/.test(command)) return undefined;
  const gitProblem = await findGitProblem(request);
  const restorable = isOwn ? new Set<string>() : await restorableFiles(request, gitProblem);
  const isIn = (paths: ReadonlySet<string>, path: string) => {
    for (let at = path; at.length > root.length; at = dirname(at)) if (paths.has(at)) return true;
    return false;
  };
  return {
    kindOf,
    namesIn,
    below: (folder) => entriesBelow(folder),
    isReplaceable: (path) => isOwn || restorable.has(path) || (isIn(written, path) && !isIn(foreign, path)),
    gitProblem,
  };
}

/** A file with a second name could be outside the folder: it is not a plain file. */
function kindOf(path: string): ReturnType<FileFacts["kindOf"]> {
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory()) return "folder";
    if (stats.isSymbolicLink()) return "link";
    return stats.isFile() && stats.nlink === 1 ? "file" : "other";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : "other";
  }
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined; // it cannot be checked
  }
}

const mostEntries = 5_000;

function entriesBelow(folder: string): readonly string[] | undefined {
  const found: string[] = [];
  const folders = [""];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    let entries;
    try {
      entries = readdirSync(join(folder, at), { withFileTypes: true });
    } catch {
      return undefined; // it cannot be checked
    }
    for (const entry of entries) {
      const path = join(at, entry.name);
      found.push(path);
      if (found.length > mostEntries) return undefined;
      if (entry.isDirectory()) folders.push(path);
    }
  }
  return found;
}

type Repository = Pick<FileFactsRequest, "root" | "env">;

/** True if git has this file as it is now. */
export async function isRestorable(path: string, repository: Repository): Promise<boolean> {
  return (await restorableFiles(repository, await findGitProblem(repository), path)).has(path);
}

/** Returns the files that are as in the last commit. To compare them, git would run the repository's filters. */
async function restorableFiles(
  { root, env }: Repository,
  gitProblem: string | undefined,
  path = ".",
): Promise<ReadonlySet<string>> {
  if (gitProblem !== undefined) return new Set();
  const list = async (...args: string[]) => {
    const listed = await runGit([...args, "--", path], { cwd: root, env, limitBytes: 64 << 20 });
    return listed.ok ? listed.stdout.split("\0") : undefined;
  };
  const [tracked, modified, staged] = await Promise.all([
    list("ls-files", "-z"),
    list("ls-files", "-z", "--modified"),
    list("diff-index", "-z", "--cached", "--name-only", "--no-renames", "--relative", "HEAD"),
  ]);
  if (tracked === undefined || modified === undefined || staged === undefined) return new Set();
  const changed = new Set([...modified, ...staged]);
  return new Set(tracked.filter((name) => !changed.has(name)).map((name) => join(root, name)));
}

/** Settings of the repository with which git add, commit, mv, rm or restore would run a program or fetch objects. */
const programs = /^(filter\..+|extensions\.partialclone|remote\..+\.promisor)$/i;

async function findGitProblem({ root, env }: Repository): Promise<string | undefined> {
  const listed = await runGit(["config", "--list", "-z", "--name-only", "--show-scope"], { cwd: root, env });
  if (!listed.ok) return "the settings of the repository cannot be read";
  const words = listed.stdout.split("\0");
  const setting = words.find((word, at) => at % 2 === 1 && words[at - 1] !== "command" && programs.test(word));
  return setting === undefined ? undefined : `the repository's setting ${setting} makes git run a program`;
}

/** Settings of the repository with which a git command that only looks would run a program or fetch objects. */
const lookPrograms =
  /^(filter\..+|extensions\.partialclone|remote\..+\.promisor|diff\.external|diff\..+\.(command|textconv)|core\.alternaterefscommand|pager\..+|include(if)?\..*path)$/i;

/** Returns why git would run a program that the repository names, even for a command that only looks. */
export async function findGitPrograms({ root, env }: Repository): Promise<string | undefined> {
  const listed = await runGit(["config", "--local", "--no-includes", "--list", "-z", "--name-only"], {
    cwd: root,
    env,
  });
  if (!listed.ok) return undefined;
  const setting = listed.stdout.split("\0").find((name) => lookPrograms.test(name));
  return setting === undefined ? undefined : `the repository's setting ${setting} makes git run a program`;
}
