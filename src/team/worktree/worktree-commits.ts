import { gitFailed, type Repository } from "./repository.ts";
import { worktreeGit } from "./worktree-git.ts";
import type { WorktreeEntry } from "./worktree-entry.ts";

export interface FoundCommits {
  /** Commits of its head and its branch that are not in the base. */
  readonly commits: number;
  /** The commits of its head and its branch. */
  readonly tips: readonly string[];
  /** The current head, if no ref contains it. */
  readonly detached: readonly string[];
  /** Former heads that no ref contains now: amended, reset or rebased. */
  readonly dropped: readonly string[];
}

/** Uses the base stored at creation, never the current head. */
export async function findCommits(
  repository: Repository,
  tree: { readonly path: string; readonly admin: string },
  entry: WorktreeEntry,
): Promise<FoundCommits> {
  const git = worktreeGit(repository, tree);
  const branch = `refs/heads/${entry.branch ?? ""}`;
  const [tip, head, seen] = await Promise.all([
    git(["rev-parse", "--verify", "--quiet", branch]).then(({ stdout }) => stdout.trim()),
    git(["rev-parse", "--verify", "--quiet", "HEAD"]).then(({ stdout }) => stdout.trim()),
    git(["reflog", "show", "--format=%H", "HEAD", "--"]),
  ]);
  const tips = [...new Set([head, tip])].filter((commit) => commit !== "");
  const open = tips.filter((commit) => commit !== entry.landed);
  const counted = await git(["rev-list", "--count", ...open, "--not", entry.base, "--"]);
  const commits = open.length === 0 ? 0 : counted.ok ? Number(counted.stdout) : Infinity;
  const past = seen.ok ? [...new Set(seen.stdout.split("\n").filter(Boolean))].slice(0, 1000) : [];
  const detached = head === "" || head === entry.base ? [] : await unreferenced(repository, [head]);
  const dropped = (await unreferenced(repository, past)).filter((commit) => !detached.includes(commit));
  return { commits, tips, detached, dropped: dropped.filter((commit) => commit !== entry.base) };
}

/** The topmost of the commits and their ancestors that no ref contains. */
async function unreferenced(repository: Repository, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return [];
  const args = ["rev-list", "--parents", "--ignore-missing", ...commits, "--not", "--glob=refs/*", "--"];
  const found = await repository.git(args);
  if (!found.ok) throw gitFailed(args, found.stderr);
  const lines = found.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" "));
  const parents = new Set(lines.flatMap(([, ...rest]) => rest));
  return lines.map(([commit = ""]) => commit).filter((commit) => !parents.has(commit));
}
