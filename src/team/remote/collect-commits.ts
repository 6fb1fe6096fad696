import { openRepository, type RepositoryContext } from "../worktree/repository.ts";

export interface RemoteClone {
  readonly folder: string;
  /** What it began from. */
  readonly base: string;
}

/** The commit that a clone is on; undefined while that is what it began from. */
export async function clonedHead(clone: RemoteClone, place: RepositoryContext): Promise<string | undefined> {
  const head = (await inClone(clone, place)(["rev-parse", "--verify", "HEAD^{commit}"])).trim();
  return head === clone.base ? undefined : head;
}

/** What was changed and not committed becomes a commit. */
export async function commitLeftovers(
  clone: RemoteClone,
  { message, ...place }: { readonly message: string } & RepositoryContext,
): Promise<void> {
  const git = inClone(clone, place);
  await git(["add", "--all", "--", ".", ":(exclude).troupe/settings.local.json"]);
  const staged = await git(["diff", "--cached", "--name-only", "-z", "--no-ext-diff", "--no-textconv"]);
  if (staged === "") return;
  await git(["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message]);
}

/** Writes what was committed since the clone was made into a file. */
export async function bundleCommits(clone: RemoteClone, file: string, place: RepositoryContext): Promise<void> {
  await inClone(clone, place)(["bundle", "create", "--quiet", file, "HEAD", `^${clone.base}`]);
}

/** Programs that the clone's own settings name are not run. */
function inClone({ folder }: RemoteClone, place: RepositoryContext) {
  return async (args: readonly string[]): Promise<string> =>
    (await openRepository({ ...place, cwd: folder })).ask(args, { cwd: folder });
}
