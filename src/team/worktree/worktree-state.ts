import { existsSync } from "node:fs";
import type { WorktreeState } from "../../agent/index.ts";
import { findAdminFolder } from "./git-admin-folder.ts";
import { currentBranch, openRepository, type Repository, type RepositoryContext } from "./repository.ts";
import { listEntries, type WorktreeEntry } from "./worktree-entry.ts";
import { worktreeGit } from "./worktree-git.ts";

/**
 * The work in a worktree that has not reached the branch it started from. `place` is in the checkout that it was made
 * from. Undefined if the folder is not a worktree of that repository.
 */
export async function worktreeState(place: RepositoryContext, path: string): Promise<WorktreeState | undefined> {
  const repository = await openRepository(place);
  const admin = existsSync(path) ? await findAdminFolder(repository, path) : undefined;
  if (!admin) return undefined;
  const { entries } = await listEntries(repository);
  const entry = entries.find((each) => each.path === path);
  const git = worktreeGit(repository, { path, admin: admin.path });
  const [head, branch, status] = await Promise.all([
    git(["rev-parse", "--verify", "--quiet", "HEAD"]),
    git(["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git(["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"]),
  ]);
  const target = await landingTarget(repository, entry);
  return {
    path,
    branch: branch.stdout.trim(),
    target,
    commits: await missingCommits(repository, { tip: head.stdout.trim(), target, entry }),
    uncommitted: status.stdout
      .split("\0")
      .filter(Boolean)
      .map((line) => line.slice(3)),
  };
}

/** The branch that a worktree's work lands on: the one it was made from, as long as it exists. */
export async function landingTarget(
  repository: Repository,
  entry: Pick<WorktreeEntry, "baseBranch"> | undefined,
): Promise<string | undefined> {
  const { baseBranch } = entry ?? {};
  const isThere =
    baseBranch !== undefined &&
    (await repository.git(["rev-parse", "--verify", "--quiet", `refs/heads/${baseBranch}`])).ok;
  return isThere ? baseBranch : currentBranch(repository);
}

interface Compared {
  readonly tip: string;
  readonly target: string | undefined;
  readonly entry: Pick<WorktreeEntry, "base" | "landed"> | undefined;
}

/**
 * How many commits of `tip` the target does not have. A commit that was rebased or cherry-picked counts as there, and so
 * does everything up to the tip that has landed. Without a target the base counts.
 */
export async function missingCommits(repository: Repository, { tip, target, entry }: Compared): Promise<number> {
  const other = target === undefined ? entry?.base : `refs/heads/${target}`;
  if (tip === "" || other === undefined) return 0;
  const landed = entry?.landed === undefined ? [] : [`^${entry.landed}`];
  const range = [`${other}...${tip}`, ...landed, "--"];
  return Number(
    await repository.ask(["rev-list", "--count", "--ignore-missing", "--right-only", "--cherry-pick", ...range]),
  );
}
