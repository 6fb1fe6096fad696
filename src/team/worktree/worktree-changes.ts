import { TroupeError } from "../../protocol/index.ts";
import { findAdminFolder } from "./git-admin-folder.ts";
import { gitFailed, openRepository, type RepositoryContext } from "./repository.ts";
import { worktreeGit } from "./worktree-git.ts";

export interface WorktreeChanges {
  /** The `git diff` of tracked files. */
  readonly tracked: string;
  /** Paths of new files, which the diff does not cover. */
  readonly untracked: readonly string[];
}

export interface DiffedWorktree {
  readonly path: string;
  readonly base: string;
}

/**
 * The changes of a worktree against its base: committed, staged, changed and new files. `how`: extra arguments for the
 * diff.
 */
export async function worktreeChanges(
  place: RepositoryContext,
  { path, base }: DiffedWorktree,
  how: readonly string[] = [],
): Promise<WorktreeChanges> {
  const repository = await openRepository(place);
  const admin = await findAdminFolder(repository, path);
  if (!admin) throw new TroupeError("git", `${path} is not a worktree of the repository at ${place.cwd}`);
  const git = worktreeGit(repository, { path, admin: admin.path });
  const ask = async (args: readonly string[]) => {
    const result = await git(args);
    if (!result.ok) throw gitFailed(args, result.stderr);
    return result.stdout;
  };
  const [tracked, untracked] = await Promise.all([
    ask(["diff", ...how, ...plain, base, "--"]),
    ask(["ls-files", "--others", "--exclude-standard", "-z"]),
  ]);
  return { tracked, untracked: untracked.split("\0").filter(Boolean) };
}

/** Keeps the repository's own settings from running programs or changing the output. */
const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"];
