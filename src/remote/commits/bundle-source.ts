import { stat } from "node:fs/promises";
import { TroupeError } from "../../protocol/index.ts";
import { openRepository, type RepositoryContext } from "../../team/index.ts";

/** The commit from which a remote agent starts. */
export interface BundleSource {
  /** The commit of the worktree, or of the branch that it continues. */
  readonly head: string;
  /** Its ref in the bundle, if not HEAD. */
  readonly ref?: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Notices for the user about local work that is not sent. */
  readonly notices: readonly string[];
  /** Writes the commit and its history to a file. */
  bundle(file: string): Promise<void>;
}

/** `branch`: start from this branch if it exists. */
export async function bundleSource(place: RepositoryContext, branch?: string): Promise<BundleSource> {
  const repository = await openRepository(place);
  if (repository.isShallow)
    throw new TroupeError(
      "git",
      "isolation: remote needs the full history, but this repository is shallow. Run 'git fetch --unshallow'.",
    );
  const commitOf = (name: string) => repository.git(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  const goesOn = branch === undefined ? undefined : await commitOf(`refs/heads/${branch}`);
  const ref = goesOn?.ok ? `refs/heads/${branch}` : undefined;
  const found = goesOn?.ok ? goesOn : await commitOf("HEAD");
  if (!found.ok)
    throw new TroupeError("git", "isolation: remote needs a commit to start from. Commit something first.");
  const head = found.stdout.trim();
  const changed = await repository.ask(["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"]);
  const count = changed.split("\0").filter(Boolean).length;
  const notices =
    count === 0 || ref !== undefined
      ? []
      : [
          `${count} uncommitted ${count === 1 ? "change stays" : "changes stay"} here: the agent starts from the last commit.`,
        ];
  return {
    head,
    ...(ref !== undefined && { ref }),
    notices,
    author: { name: await setting("user.name", "Troupe"), email: await setting("user.email", "troupe@localhost") },
    async bundle(file) {
      await repository.ask(["bundle", "create", "--quiet", file, ref ?? "HEAD"]);
      const { size } = await stat(file);
      if (size > maxBytes)
        throw new TroupeError("git", `The repository is too large for the bus: ${size} bytes, at most ${maxBytes}.`);
    },
  };

  async function setting(name: string, otherwise: string): Promise<string> {
    const said = await repository.git(["config", "--get", name]);
    return said.ok && said.stdout.trim() !== "" ? said.stdout.trim() : otherwise;
  }
}

const maxBytes = 1024 ** 3;
