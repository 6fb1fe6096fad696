import { existsSync } from "node:fs";
import { join } from "node:path";
import { findAdminFolder } from "./git-admin-folder.ts";
import type { Repository } from "./repository.ts";
import type { WorktreeEntry } from "./worktree-entry.ts";
import { worktreeGit } from "./worktree-git.ts";

/**
 * Commits the uncommitted files of an agent that is over to its branch, so that they can land. No other agent can
 * reach them in its folder. Does nothing on no branch, during a merge or rebase, and for repositories inside. No hook runs.
 */
export async function commitLeftWork(
  repository: Repository,
  entry: Pick<WorktreeEntry, "path" | "branch">,
  agent: string,
): Promise<void> {
  const admin = existsSync(entry.path) ? await findAdminFolder(repository, entry.path) : undefined;
  if (!admin || busyFiles.some((name) => existsSync(join(admin.path, name)))) return;
  const git = worktreeGit(repository, { path: entry.path, admin: admin.path });
  const branch = await git(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  if (!branch.ok || branch.stdout.trim() !== entry.branch) return;
  const changed = await git(["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty"]);
  const files = changed.stdout.split("\0").filter(Boolean);
  // A repository inside is listed as a folder. Git would keep only a link to it.
  if (!changed.ok || files.length === 0 || files.some((line) => line.endsWith("/"))) return;
  const added = await git(["add", "--all"]);
  if (!added.ok) return;
  const message = `${leftWorkSubject}${agent}\n\nTroupe committed it when ${agent} was over. It may be unfinished.`;
  await git(["commit", "--quiet", "--no-verify", "--cleanup=verbatim", "-m", message], { settings: committer });
}

/**
 * Takes such a commit back, so that an agent that continues finds its files as it left them. A commit that another
 * branch has stays.
 */
export async function restoreLeftWork(
  repository: Repository,
  tree: { readonly path: string; readonly admin: string },
): Promise<void> {
  const git = worktreeGit(repository, tree);
  const last = await git(["log", "-1", "--format=%ce %s"]);
  if (!last.ok || !last.stdout.startsWith(`${committer["user.email"]} ${leftWorkSubject}`)) return;
  const holders = await git([
    "for-each-ref",
    "--contains",
    "HEAD",
    "--format=%(refname)",
    "refs/heads",
    "refs/remotes",
  ]);
  if (holders.ok && holders.stdout.trim().split("\n").length === 1)
    await git(["reset", "--quiet", "--mixed", "HEAD~1"]);
}

const leftWorkSubject = "chore: keep the uncommitted work of ";

const busyFiles = ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "index.lock"];

const committer = { "user.name": "Troupe", "user.email": "troupe@localhost" };
