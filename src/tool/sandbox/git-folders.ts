import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside, readRegularFileSync as readIfThere, realPathSync } from "../../platform/index.ts";
import { packedRefs, unpackRef } from "./packed-refs.ts";

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
  /** Files that must be there with this content, because git would obey another content. */
  readonly kept?: ReadonlyMap<string, string> | undefined;
}

const noData: GitData = { writable: [], protectedPaths: [], locks: [] };

/**
 * Returns the branch that belongs to a linked worktree: the one that Troupe made for it, or else the one that it has
 * now. Ask before the first command runs there, because a command can change the head of its worktree.
 */
export function branchOfWorktree(top: string): string | undefined {
  const folders = gitFoldersAt(join(top, ".git"));
  if (folders === undefined || folders.own === folders.common) return undefined;
  const made = `refs/heads/troupe/${basename(top)}`;
  const isThere = existsSync(join(folders.common, made)) || packedRefs(folders.common, made).length > 0;
  return isThere ? made : branchOf(folders.own);
}

/**
 * Returns the data that a commit, merge or rebase in a linked worktree writes: objects, the worktree's own folder, and
 * its branch. The settings, hooks and other branches of the repository stay read-only. Nothing for any other checkout.
 */
export function worktreeData(top: string, ownBranch: string | undefined): GitData {
  const folders = gitFoldersAt(join(top, ".git"));
  if (folders === undefined || folders.own === folders.common) return noData;
  const { own, common } = folders;
  // The repository must know this worktree: a file of the working folder could name any folder.
  const back = readIfThere(join(own, "gitdir"))?.trim();
  const isKnown = back !== undefined && realPathSync(back, own) === join(realPathSync(top), ".git");
  if (!isKnown || !isInside(own, join(common, "worktrees")) || hasOpenSettings(folders)) return noData;
  const objects = join(common, "objects");
  const branch = branchOf(own) === ownBranch ? branchFolders(folders, ownBranch) : noData;
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

/** The folders of the branch and its log. Other branches in the same folder, and their logs, are protected. */
function branchFolders(folders: GitFolders, ref: string | undefined): Pick<GitData, "writable" | "protectedPaths"> {
  const { common } = folders;
  if (ref === undefined || ref.split("/").includes("..") || isUsedElsewhere(ref, folders)) return noData;
  const [refs, logs] = [join(common, dirname(ref)), join(common, "logs", dirname(ref))];
  // A command can leave a link there.
  if ([refs, logs].some((folder) => realPathSync(folder) !== folder)) return noData;
  for (const folder of [refs, logs]) mkdirSync(folder, { recursive: true });
  // A packed branch has no file that a mount could protect.
  const beside = packedRefs(common, `${dirname(ref)}/`).filter(({ name }) => name !== ref);
  if (!beside.every((packed) => unpackRef(common, packed))) return noData;
  const own = [ref, `logs/${ref}`].flatMap((name) => [join(common, name), join(common, `${name}.lock`)]);
  const others = [refs, logs]
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => !own.includes(path) && !isLink(path));
  return { writable: [refs, logs], protectedPaths: others };
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;

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

/**
 * Returns the data of a main checkout's `.git` that its own commands write. Its settings and hooks stay read-only. With a
 * `commondir`, git would obey the settings of another folder: the one that is kept there leads back to `.git`.
 */
export function checkoutData(top: string): GitData {
  const dotGit = join(realPathSync(top), ".git");
  const folders = gitFoldersAt(dotGit);
  if (folders === undefined || folders.own !== dotGit || folders.common !== dotGit) return noData;
  const settings = readIfThere(join(dotGit, "config")) ?? "";
  // Git would ignore the first beside a commondir.
  if (/^\s*worktree\s*=/im.test(settings) || hasOpenSettings(folders)) return noData;
  const [path, content] = [join(dotGit, "commondir"), "../.git\n"];
  if (existsSync(path) && readIfThere(path) !== content) return noData;
  return { writable: [dotGit], protectedPaths: partsOfGit(dotGit), locks: [], kept: new Map([[path, content]]) };
}

/** Every repository has a settings file, so its creation need not be prevented. */
export const partsOfGit = (git: string) => [
  join(git, "hooks"),
  ...["config", "config.worktree", "info", "modules", "worktrees"]
    .map((name) => join(git, name))
    .filter((path) => existsSync(path)),
];
