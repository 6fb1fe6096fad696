import { currentProcess, isAlive } from "../../platform/index.ts";
import { inspectWorktree, type Inspection } from "./inspect-worktree.ts";
import { openRepository, type Repository, type RepositoryContext } from "./repository.ts";
import { listEntries, type WorktreeEntry } from "./worktree-entry.ts";
import { landingTarget, missingCommits } from "./worktree-state.ts";

export interface ListedWorktree {
  readonly name: string;
  readonly path: string;
  readonly branch: string | undefined;
  readonly base: string | undefined;
  readonly agentId: string | undefined;
  /**
   * `left`: its process is gone, and it has not been recovered yet. `foreign`: on a Troupe branch, but not in these
   * records.
   */
  readonly state: "making" | "landing" | "live" | "kept" | "left" | "removing" | "foreign";
  readonly changedFiles: readonly string[];
  /** Commits that its base does not have. None of them counts once the tip of its branch has landed. */
  readonly commits: number;
  /** Those of its commits that the branch it started from does not have, neither as they are nor rewritten. */
  readonly unmerged: number;
  /** The branch that has all its commits. Undefined if it has none, or some of them are missing there. */
  readonly mergedInto: string | undefined;
  /** Why it is not removed. */
  readonly reasons: readonly string[];
}

export async function listWorktrees(
  place: RepositoryContext,
): Promise<{ worktrees: readonly ListedWorktree[]; problems: readonly string[] }> {
  const repository = await openRepository(place);
  const { entries, problems } = await listEntries(repository);
  const worktrees: ListedWorktree[] = [];
  for (const entry of entries) {
    const { name, path, branch, base, agentId } = entry;
    const { changedFiles, commits, tips, reasons } = await inspectWorktree(repository, entry);
    const merge = await mergeState(repository, entry, { commits, tips });
    const found = { changedFiles, commits, ...merge, reasons };
    worktrees.push({ name, path, branch, base, agentId, state: stateOf(entry), ...found });
  }
  return { worktrees: [...worktrees, ...(await foreign(repository, entries))], problems };
}

async function mergeState(
  repository: Repository,
  entry: WorktreeEntry,
  { commits, tips }: Pick<Inspection, "commits" | "tips">,
): Promise<Pick<ListedWorktree, "unmerged" | "mergedInto">> {
  const target = await landingTarget(repository, entry);
  if (target === undefined || commits === Infinity) return { unmerged: commits, mergedInto: undefined };
  const missing = await Promise.all(tips.map((tip) => missingCommits(repository, { tip, target, entry })));
  const unmerged = Math.max(0, ...missing);
  const hasWork = commits > 0 || entry.landed !== undefined;
  return { unmerged, mergedInto: hasWork && unmerged === 0 ? target : undefined };
}

export function isOwned(entry: WorktreeEntry): boolean {
  return entry.state !== "kept" && isAlive(entry.owner, currentProcess()) !== "dead";
}

function stateOf(entry: WorktreeEntry): ListedWorktree["state"] {
  if (entry.state === "kept" || entry.state === "removing") return entry.state;
  if (!isOwned(entry)) return "left";
  return entry.state === "preparing" ? "making" : entry.state;
}

/** Made with another `TROUPE_HOME` or by hand: listed, but never touched. */
async function foreign(repository: Repository, entries: readonly WorktreeEntry[]): Promise<ListedWorktree[]> {
  const known = new Set(entries.map(({ path }) => path));
  const listed = await repository.ask(["worktree", "list", "--porcelain"]);
  return listed.split("\n\n").flatMap((block) => {
    const path = /^worktree (.*)$/m.exec(block)?.[1];
    const branch = /^branch refs\/heads\/(troupe\/.*)$/m.exec(block)?.[1];
    if (path === undefined || branch === undefined || known.has(path)) return [];
    const name = path.slice(path.lastIndexOf("/") + 1);
    const reasons = ["foreign: it is not in the records of this TROUPE_HOME"];
    const none = { base: undefined, agentId: undefined, changedFiles: [], commits: 0, unmerged: 0 };
    return [{ name, path, branch, state: "foreign" as const, reasons, mergedInto: undefined, ...none }];
  });
}
