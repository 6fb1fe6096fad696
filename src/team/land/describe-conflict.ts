import type { Repository } from "../worktree/repository.ts";

/** Two sides that do not fit, with what each of them meant. */
export interface Conflict {
  readonly branch: string;
  /** The throw-away working tree in which it stands, with git's marks in the files. */
  readonly path: string;
  readonly files: readonly string[];
  /** Of the side that is there already, newest first: the commits that touched these files. */
  readonly ours: readonly CommitMessage[];
  /** Of the branch: the commit that does not fit, or all that touched these files. */
  readonly theirs: readonly CommitMessage[];
}

export interface CommitMessage {
  readonly commit: string;
  readonly message: string;
}

/**
 * Whoever can settle a conflict: the author agent, or a person. It edits the files in `path` and leaves no marks in them; what
 * it staged or not makes no difference. It must not commit, and must not go on with the rebase itself.
 */
export type ResolveConflict = (conflict: Conflict, signal?: AbortSignal) => Promise<"resolved" | "given up">;

interface Sides {
  readonly branch: string;
  readonly path: string;
  readonly base: string;
  readonly onto: string;
  readonly tip: string;
}

export async function describeConflict(repository: Repository, sides: Sides): Promise<Conflict> {
  const { branch, path, base, onto, tip } = sides;
  const call = { cwd: path };
  const unmerged = await repository.ask(["diff", "--name-only", "--diff-filter=U", "-z", "--no-ext-diff"], call);
  const files = unmerged.split("\0").filter(Boolean);
  const stopped = await repository.git(["rev-parse", "--verify", "--quiet", "REBASE_HEAD"], call);
  const fields = async (...range: string[]) =>
    parse(await repository.ask(["log", "--format=%h%x00%B%x01", "-10", ...range, "--", ...files], call));
  return {
    branch,
    path,
    files,
    ours: await fields(`${base}..${onto}`),
    theirs: stopped.ok
      ? parse(await repository.ask(["log", "--format=%h%x00%B%x01", "-1", stopped.stdout.trim(), "--"], call))
      : await fields(`${base}..${tip}`),
  };
}

const parse = (text: string): CommitMessage[] =>
  text
    .split("\x01")
    .map((record) => record.trim().split("\0"))
    .flatMap(([commit = "", message = ""]) =>
      commit === "" ? [] : [{ commit, message: message.trim().slice(0, 2000) }],
    );
