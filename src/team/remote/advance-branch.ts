import { TroupeError } from "../../protocol/index.ts";
import { openRepository, type Repository, type RepositoryContext } from "../worktree/repository.ts";
import { diffOf, fetchCommits, type ReturnedCommits } from "./import-commits.ts";

/** Commits of a member on another machine, as far as it is. */
export interface MemberCommits extends ReturnedCommits {
  /** What the branch was last brought to from there. */
  readonly was?: string | undefined;
}

/**
 * Brings the branch to what has come. One that somebody else has moved, or has checked out, is left alone: then the commits
 * are on a branch of the same name with a number. Gives the branch that has them, and what they change, in a line.
 */
export async function advanceBranch(
  place: RepositoryContext,
  commits: MemberCommits,
): Promise<{ readonly branch: string; readonly diff: string }> {
  const repository = await openRepository(place);
  await fetchCommits(repository, commits);
  const busy = await checkedOut(repository);
  for (let number = 1; number <= maxNumbers; number++) {
    const branch = number === 1 ? commits.branch : `${commits.branch}-${number}`;
    if (await moveTo(repository, { ...commits, branch }, busy))
      return { branch, diff: await diffOf(repository, commits) };
  }
  throw new TroupeError(
    "git",
    `What is committed cannot be put on a branch ${commits.branch}: there are too many already.`,
  );
}

const maxNumbers = 100;

async function moveTo(
  repository: Repository,
  { branch, head, was }: MemberCommits,
  busy: ReadonlySet<string>,
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const found = await repository.git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  const now = found.ok ? found.stdout.trim() : "0".repeat(head.length);
  if (now === head) return true;
  if (found.ok && busy.has(ref)) return false;
  const follows = async () => (await repository.git(["merge-base", "--is-ancestor", now, head])).ok;
  // What it has thrown away itself may go from here too.
  if (found.ok && now !== was && !(await follows())) return false;
  // Refused if somebody has moved it meanwhile.
  return (await repository.git(["update-ref", "-m", "troupe: from a worker", ref, head, now])).ok;
}

async function checkedOut(repository: Repository): Promise<ReadonlySet<string>> {
  const listed = await repository.ask(["worktree", "list", "--porcelain"]);
  return new Set(listed.split("\n").flatMap((line) => (line.startsWith("branch ") ? [line.slice(7)] : [])));
}
