import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasErrorCode, isInside, realPathSync } from "../../platform/index.ts";

/** The folders of git's data for one checkout. Real and absolute. In the main checkout both are the same. */
export interface GitFolders {
  /** With the index and the head of this checkout. */
  readonly own: string;
  /** With objects, branches, settings and hooks. */
  readonly common: string;
}

/** Returns the git folders that `.git` at this path stands for: a folder, or a file that names one. */
export function gitFoldersAt(dotGit: string): GitFolders | undefined {
  const text = readIfThere(dotGit);
  if (text === undefined) {
    const real = realPathSync(dotGit);
    return existsSync(join(real, "HEAD")) ? { own: real, common: real } : undefined;
  }
  const named = /^gitdir: (.+)$/m.exec(text)?.[1];
  if (named === undefined) return undefined;
  const own = realPathSync(named, dirname(dotGit));
  const common = readIfThere(join(own, "commondir"))?.trim();
  return { own, common: common === undefined ? own : realPathSync(common, own) };
}

/** The paths that git may write, and those in them that it may not. */
export interface GitData {
  readonly writable: readonly string[];
  readonly protectedPaths: readonly string[];
  /** Lock files that git makes and removes in folders that it may not write. */
  readonly locks: readonly string[];
}

const noData: GitData = { writable: [], protectedPaths: [], locks: [] };

/**
 * Returns the data that a commit, merge or rebase in a linked worktree writes: objects, the worktree's own folder, and
 * its branch. The settings, hooks and other branches of the repository stay read-only. Nothing for any other checkout.
 */
export function worktreeData(top: string): GitData {
  const folders = gitFoldersAt(join(top, ".git"));
  if (folders === undefined || folders.own === folders.common) return noData;
  const { own, common } = folders;
  // The repository must know this worktree: a file of the working folder could name any folder.
  const back = readIfThere(join(own, "gitdir"))?.trim();
  const isKnown = back !== undefined && realPathSync(back, own) === join(realPathSync(top), ".git");
  if (!isKnown || !isInside(own, join(common, "worktrees")) || hasOpenSettings(folders)) return noData;
  const objects = join(common, "objects");
  const branch = branchFolders(folders);
  return {
    writable: [objects, own, ...branch.writable],
    protectedPaths: [
      ...["commondir", "gitdir", "config.worktree", "locked"].map((name) => join(own, name)),
      ...["info", "pack"].map((name) => join(objects, name)),
      ...branch.protectedPaths,
    ].filter((path) => existsSync(path)),
    // Git takes it to remove any ref, also one of the worktree such as CHERRY_PICK_HEAD, and then changes no packed ref.
    locks: [join(common, "packed-refs.lock")],
  };
}

/** True if git would obey a settings file of the worktree that does not exist yet and cannot be guarded. */
const hasOpenSettings = ({ own, common }: GitFolders) =>
  /worktreeconfig/i.test(readIfThere(join(common, "config")) ?? "") && !existsSync(join(own, "config.worktree"));

/** The folders of the branch and its log. Other branches in the same folder are protected. */
function branchFolders(folders: GitFolders): Pick<GitData, "writable" | "protectedPaths"> {
  const { own, common } = folders;
  const ref = branchOf(own);
  if (ref === undefined || ref.split("/").includes("..") || isUsedElsewhere(ref, folders)) return noData;
  const [refs, logs] = [join(common, dirname(ref)), join(common, "logs", dirname(ref))];
  for (const folder of [refs, logs]) mkdirSync(folder, { recursive: true });
  const branch = join(common, ref);
  const others = readdirSync(refs)
    .map((name) => join(refs, name))
    .filter((path) => path !== branch && path !== `${branch}.lock`);
  return { writable: [refs, logs], protectedPaths: others };
}

/** The branch of a checkout. In the middle of a rebase its head names none, and the rebase keeps the name. */
function branchOf(own: string): string | undefined {
  const head = /^ref: (refs\/heads\/\S+)$/m.exec(readIfThere(join(own, "HEAD")) ?? "")?.[1];
  const rebased = ["rebase-merge", "rebase-apply"].map((name) => readIfThere(join(own, name, "head-name"))?.trim());
  return head ?? rebased.find((name) => name?.startsWith("refs/heads/"));
}

/** A command can write any name into the worktree's own head: a branch of another checkout is never its own. */
function isUsedElsewhere(ref: string, { own, common }: GitFolders): boolean {
  const worktrees = join(common, "worktrees");
  const others = [common, ...readdirSync(worktrees).map((name) => join(worktrees, name))];
  return others.some((other) => realPathSync(other) !== own && branchOf(other) === ref);
}

/** Returns the data of a main checkout's `.git` that its own commands write. Its settings and hooks stay read-only. */
export function checkoutData(top: string): GitData {
  const dotGit = join(realPathSync(top), ".git");
  const folders = gitFoldersAt(dotGit);
  if (folders === undefined || folders.own !== dotGit || folders.common !== dotGit) return noData;
  return { writable: [dotGit], protectedPaths: partsOfGit(dotGit), locks: [] };
}

/** Every repository has a settings file, so its creation need not be prevented. */
export const partsOfGit = (git: string) => [
  join(git, "hooks"),
  ...["config", "config.worktree", "info", "modules", "worktrees"]
    .map((name) => join(git, name))
    .filter((path) => existsSync(path)),
];

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP")) return undefined;
    throw error;
  }
}
