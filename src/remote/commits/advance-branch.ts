import { TroupeError } from "../../protocol/index.ts";
import { openRepository, type Repository, type RepositoryContext } from "../../team/index.ts";
import { diffOf, fetchCommits, type ReturnedCommits } from "./import-commits.ts";

/** The current commits of a remote member. */
export interface MemberCommits extends ReturnedCommits {
  /** The head that the branch was last set to from there. */
  readonly was?: string | undefined;
}

/**
 * Moves the branch to the imported commits. A branch that was moved or checked out locally is left alone. Then the
 * commits go to a branch of the same name with a number. Returns that branch and its changes in one line.
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
    `Cannot create a branch for ${commits.branch}: too many numbered branches exist. Delete some of them.`,
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
  // Commits that the member itself dropped may be dropped here too.
  if (found.ok && now !== was && !(await follows())) return false;
  // Fails if the branch was moved in the meantime.
  return (await repository.git(["update-ref", "-m", "troupe: from a worker", ref, head, now])).ok;
}

async function checkedOut(repository: Repository): Promise<ReadonlySet<string>> {
  const listed = await repository.ask(["worktree", "list", "--porcelain"]);
  return new Set(listed.split("\n").flatMap((line) => (line.startsWith("branch ") ? [line.slice(7)] : [])));
}
