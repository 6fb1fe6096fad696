import { makeFolder, runGit } from "../../platform/index.ts";
import { gitFailed, type RepositoryContext } from "../worktree/repository.ts";

export interface CloneRequest {
  /** Where the clone is to be: a folder that is not there. */
  readonly folder: string;
  /** The first has everything; the next ones only what was committed since. */
  readonly bundles: readonly { readonly file: string; readonly head: string; readonly ref?: string | undefined }[];
  readonly branch: string;
  readonly author: { readonly name: string; readonly email: string };
}

/** A repository of bundles, with the last one's commit checked out on a branch. Nothing in it has run. */
export async function cloneBundle(request: CloneRequest, { env }: Pick<RepositoryContext, "env">): Promise<void> {
  const { folder, branch, author } = request;
  await makeFolder(folder);
  const git = async (args: readonly string[]) => {
    const settings = { "protocol.file.allow": "always", "fetch.fsckObjects": "true", "advice.detachedHead": "false" };
    const result = await runGit(args, { cwd: folder, env, settings, timeoutMs: 600_000 });
    if (!result.ok) throw gitFailed(args, result.stderr);
  };
  await git(["init", "--quiet", `--initial-branch=${branch}`]);
  await git(["config", "user.name", author.name]);
  await git(["config", "user.email", author.email]);
  for (const { file, ref = "HEAD" } of request.bundles) await git(["fetch", "--quiet", "--no-tags", file, ref]);
  const last = request.bundles.at(-1);
  if (last) await git(["checkout", "--quiet", "-B", branch, last.head, "--"]);
}
