import { makeFolder, runGit } from "../../platform/index.ts";
import { gitFailed, type RepositoryContext } from "../../team/index.ts";

export interface CloneRequest {
  /** The folder of the clone. It must not exist. */
  readonly folder: string;
  /** The first bundle has the full history; each later one has the commits since the previous. */
  readonly bundles: readonly { readonly file: string; readonly head: string; readonly ref?: string | undefined }[];
  readonly branch: string;
  readonly author: { readonly name: string; readonly email: string };
}

/** Makes a repository from bundles and checks out the last one's commit on a branch. Runs nothing from it. */
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
