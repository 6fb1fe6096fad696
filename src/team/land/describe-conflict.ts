import type { Repository } from "../worktree/repository.ts";
import type { StackRequest } from "./stack-branch.ts";

/** A merge conflict with the commits of both sides. */
export interface Conflict {
  readonly branch: string;
  /** The temporary worktree that has the conflict, with git's markers in the files. */
  readonly path: string;
  readonly files: readonly string[];
  /** The commits of the target that touched these files, newest first. */
  readonly ours: readonly CommitMessage[];
  /** The commit of the branch that conflicts, or all its commits that touched these files. */
  readonly theirs: readonly CommitMessage[];
}

export interface CommitMessage {
  readonly commit: string;
  readonly message: string;
}

/**
 * Resolves a conflict: an agent or a person edits the files in `path` and leaves no markers. Staging does not matter.
 * The resolver must not commit or continue the rebase.
 */
export type ResolveConflict = (conflict: Conflict, signal?: AbortSignal) => Promise<Resolution>;

/** The resolver's own opinion. Landing checks whether the conflict is resolved. */
export type Resolution = "resolved" | { readonly unresolved: string };

interface Sides extends Pick<StackRequest, "branch" | "path" | "onto" | "tip"> {
  readonly base: string;
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
