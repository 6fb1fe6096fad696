import { TroupeError } from "../../protocol/index.ts";
import { diffText, gitFailed, openRepository, type Repository, type RepositoryContext } from "../../team/index.ts";

export interface ReturnedCommits {
  readonly file: string;
  readonly head: string;
  /** The commit the agent started from. */
  readonly base: string;
  readonly branch: string;
}

/**
 * Creates a new branch from the commits in the bundle that `bring` returns. Its history contains the agent's base
 * commit. Returns its diff in one line.
 */
export async function importCommits(
  place: RepositoryContext,
  { bring, ...commits }: Omit<ReturnedCommits, "file"> & { readonly bring: () => Promise<string> },
): Promise<{ readonly top: string; readonly diff: string }> {
  const { head, branch } = commits;
  const repository = await openRepository(place);
  const ref = `refs/heads/${branch}`;
  const there = await repository.git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  // A previous run of the session may have created it without reporting it.
  if (!there.ok || there.stdout.trim() !== head) {
    await fetchCommits(repository, { ...commits, file: await bring() });
    await repository.ask(["update-ref", "-m", "troupe: from a worker", ref, head, "0".repeat(head.length)]);
  }
  return { top: repository.top, diff: await diffOf(repository, commits) };
}

/** Fetches the bundle's commits without a branch. Rejects unless they descend from the agent's base commit. */
export async function fetchCommits(
  repository: Repository,
  { file, base, head }: Omit<ReturnedCommits, "branch">,
): Promise<void> {
  const settings = { "protocol.file.allow": "always", "fetch.fsckObjects": "true" };
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", file, "HEAD"];
  const fetched = await repository.git(fetch, { settings });
  if (!fetched.ok) throw gitFailed(["fetch"], fetched.stderr);
  const isHere = await repository.git(["merge-base", "--is-ancestor", base, head]);
  if (!isHere.ok) throw new TroupeError("git", "The returned commits do not descend from the agent's base commit.");
}

/** The diff in one line. */
export async function diffOf(
  repository: Repository,
  { base, head }: Pick<ReturnedCommits, "base" | "head">,
): Promise<string> {
  const stat = await repository.ask([
    "diff",
    "--numstat",
    "-z",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    base,
    head,
    "--",
  ]);
  const files = stat.split("\0").flatMap((line) => {
    const [added, removed, path] = line.split("\t");
    const count = (text: string | undefined) => (text === undefined || text === "-" ? null : Number(text));
    return path === undefined ? [] : [{ path, added: count(added), removed: count(removed) }];
  });
  const sum = (key: "added" | "removed") => files.reduce((all, each) => all + (each[key] ?? 0), 0);
  return diffText({ files, added: sum("added"), removed: sum("removed") });
}
