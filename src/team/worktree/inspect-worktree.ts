import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import { findAdminFolder } from "./git-admin-folder.ts";
import { fingerprint } from "./worktree-fingerprint.ts";
import { ignoredPaths } from "./ignored-paths.ts";
import { processesIn } from "./processes-in-folder.ts";
import { gitErrorText, type Repository } from "./repository.ts";
import { worktreeGit } from "./worktree-git.ts";
import type { WorktreeEntry } from "./worktree-entry.ts";
import { findCommits, type FoundCommits } from "./worktree-commits.ts";

export interface Inspection extends FoundCommits {
  /** Why it must be kept. Empty if nothing would be lost. */
  readonly reasons: readonly string[];
  /** Changed, staged and untracked files. */
  readonly changedFiles: readonly string[];
  /** True if the only changes are missing files, as after an interrupted removal. */
  readonly onlyMissingFiles: boolean;
  readonly admin: string | undefined;
}

/** Finds everything that would be lost with a worktree. What cannot be inspected counts as work. */
export async function inspectWorktree(repository: Repository, entry: WorktreeEntry): Promise<Inspection> {
  const admin = await findAdminFolder(repository, entry.path);
  if (!existsSync(entry.path)) {
    const reason = `missing: its folder ${entry.path} is gone; run git worktree prune and git branch -D ${entry.branch ?? ""} to remove it`;
    return { ...nothingKnown, ...(await commitsOf(repository, entry)), reasons: [reason], admin: admin?.path };
  }
  if (!admin) return { ...nothingKnown, reasons: ["unknown: git does not list it as a worktree of this repository"] };
  const tree = { path: entry.path, admin: admin.path };
  const reasons: string[] = [];
  if (
    ![undefined, entry.agentId, ...(entry.state === "making" ? ["initializing"] : [])].includes(admin.lockedBecause)
  ) {
    reasons.push(
      `locked: it was locked by hand (${admin.lockedBecause === "" ? "no reason given" : admin.lockedBecause})`,
    );
  }
  const [status, commits, stashed, ignored] = await Promise.all([
    statusOf(repository, tree),
    findCommits(repository, tree, entry),
    stashes(repository, entry),
    ignoredWork(repository, entry, tree),
  ]);
  reasons.push(...status.reasons);
  if (commits.commits > 0) reasons.push(commitReason(commits));
  reasons.push(...stashed, ...unfinished(admin.path), ...ignored);
  const users = processesIn(entry.path);
  if (users.length > 0) reasons.push(`in use: process ${users.slice(0, 5).join(", ")} works in it`);
  return { ...status, ...commits, reasons, admin: admin.path };
}

const nothingKnown = {
  commits: 0,
  tips: [],
  detached: [],
  dropped: [],
  changedFiles: [],
  onlyMissingFiles: false,
  admin: undefined,
};

interface Tree {
  readonly path: string;
  readonly admin: string;
}

/** The commits of the branch, if the folder is gone. */
async function commitsOf(repository: Repository, entry: WorktreeEntry): Promise<FoundCommits> {
  const branch = `refs/heads/${entry.branch ?? ""}`;
  const [counted, tip] = await Promise.all([
    repository.git(["rev-list", "--count", `${entry.base}..${branch}`]),
    repository.git(["rev-parse", "--verify", "--quiet", branch]),
  ]);
  const tips = tip.ok ? [tip.stdout.trim()] : [];
  return { commits: counted.ok ? Number(counted.stdout) : 0, tips, detached: [], dropped: [] };
}

const commitReason = ({ commits, detached }: FoundCommits) =>
  detached.length > 0
    ? `commits: ${commits} on no branch`
    : commits === Infinity
      ? "commits: cannot be counted, because its base is gone"
      : `commits: ${commits} that are not in its base`;

async function statusOf(repository: Repository, tree: Tree) {
  const git = worktreeGit(repository, tree);
  const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"];
  const [status, hidden, sparse] = await Promise.all([
    git(args),
    git(["ls-files", "-v", "-z"]),
    git(["config", "--type=bool", "--get", "core.sparseCheckout"]),
  ]);
  if (!status.ok || !hidden.ok) {
    const reason = `unreadable: git cannot list the changes (${gitErrorText(status.stderr || hidden.stderr)})`;
    return { reasons: [reason], changedFiles: [], onlyMissingFiles: false };
  }
  const lines = status.stdout.split("\0").filter(Boolean);
  const changedFiles = lines.map((line) => line.slice(3));
  const reasons = (["staged", "unstaged", "untracked"] as const).flatMap((kind) => {
    const files = lines.filter((line) => kinds[kind](line)).map((line) => line.slice(3));
    return files.length === 0 ? [] : [`${kind}: ${few(files)}`];
  });
  // `git status` does not report files that are marked to be skipped.
  const unseen = hidden.stdout
    .split("\0")
    .filter((line) => /^[a-z] /.test(line) || (line.startsWith("S ") && sparse.stdout.trim() !== "true"));
  if (unseen.length > 0) reasons.push(`hidden: git is set to skip ${few(unseen.map((line) => line.slice(2)))}`);
  return { reasons, changedFiles, onlyMissingFiles: lines.length > 0 && lines.every((line) => line.startsWith(" D")) };
}

const kinds = {
  staged: (line: string) => /^[^ ?]/.test(line),
  unstaged: (line: string) => /^.[^ ?]/.test(line),
  untracked: (line: string) => line.startsWith("??"),
};

/** All worktrees share the stashes. A stash names its branch; one made on no branch may belong here. */
async function stashes(repository: Repository, entry: WorktreeEntry): Promise<string[]> {
  const listed = await repository.git(["reflog", "show", "--format=%ct %gs", "refs/stash", "--"]);
  if (!listed.ok) return [];
  const since = Math.floor(Date.parse(entry.createdAt) / 1000);
  const own = listed.stdout.split("\n").filter((line) => {
    const [time = "", ...words] = line.split(" ");
    const text = words.join(" ");
    if (text.includes(`n ${entry.branch}:`)) return true;
    return /n \(no branch\):/.test(text) && Number(time) >= since;
  });
  return own.length === 0 ? [] : [`stash: ${own.length} made in it (git stash list)`];
}

/** An unfinished git operation, or a checked-out submodule whose commits exist only here. */
function unfinished(admin: string): string[] {
  const busy = [
    "rebase-merge",
    "rebase-apply",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "index.lock",
  ];
  const found = busy.filter((name) => existsSync(join(admin, name)));
  const reasons = found.length === 0 ? [] : [`unfinished: ${found.join(", ")} in ${admin}`];
  try {
    if (readdirSync(join(admin, "modules")).length > 0) reasons.push("submodules: some were checked out in it");
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
  return reasons;
}

async function ignoredWork(repository: Repository, entry: WorktreeEntry, tree: Tree): Promise<string[]> {
  const changed: string[] = [];
  const ignored = await ignoredPaths(worktreeGit(repository, tree), entry.disposable);
  if (ignored === undefined) return ["unreadable: git cannot list the ignored files"];
  for (const path of ignored) changed.push(...(await wasNotCopied(entry, path)));
  return changed.length === 0 ? [] : [`ignored: ${few(changed)}, made or changed after the setup`];
}

/** The ignored paths that the setup did not make, or that changed since. */
async function wasNotCopied(entry: WorktreeEntry, path: string): Promise<string[]> {
  const put = entry.put.find((file) => file.path === path);
  if (put) return put.mark === (await fingerprint(join(entry.path, path))) ? [] : [path];
  if (!entry.put.some((file) => file.path.startsWith(`${path}/`))) return [path];
  const inside = await Promise.all(
    readdirSync(join(entry.path, path)).map((name) => wasNotCopied(entry, `${path}/${name}`)),
  );
  return inside.flat();
}

const few = (files: readonly string[]) =>
  files.slice(0, 5).join(", ") + (files.length > 5 ? ` and ${files.length - 5} more` : "");
