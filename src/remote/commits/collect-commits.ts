import { openRepository, type RepositoryContext } from "../../team/index.ts";

export interface RemoteClone {
  readonly folder: string;
  /** The commit it started from. */
  readonly base: string;
}

/** The clone's current commit. Undefined if it is still the base. */
export async function clonedHead(clone: RemoteClone, place: RepositoryContext): Promise<string | undefined> {
  const head = (await inClone(clone, place)(["rev-parse", "--verify", "HEAD^{commit}"])).trim();
  return head === clone.base ? undefined : head;
}

/** Commits all uncommitted changes. */
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

/** Writes the commits since the clone was made to a file. */
export async function bundleCommits(clone: RemoteClone, file: string, place: RepositoryContext): Promise<void> {
  await inClone(clone, place)(["bundle", "create", "--quiet", file, "HEAD", `^${clone.base}`]);
}

/** Runs git without the programs that the clone's own settings name. */
function inClone({ folder }: RemoteClone, place: RepositoryContext) {
  return async (args: readonly string[]): Promise<string> =>
    (await openRepository({ ...place, cwd: folder })).ask(args, { cwd: folder });
}
