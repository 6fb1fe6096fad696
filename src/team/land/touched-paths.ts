import type { Repository } from "../worktree/repository.ts";
import type { ChosenBranch } from "./choose-branches.ts";

/** The paths that a landing writes or removes in the working tree. */
export interface TouchedPaths {
  readonly all: ReadonlySet<string>;
  /** The paths among them that the target does not have. */
  readonly added: ReadonlySet<string>;
}

/** The paths that differ between two commits. */
export async function pathsBetween(repository: Repository, before: string, after: string): Promise<TouchedPaths> {
  const all = await changedPaths(repository, [before, after]);
  const added = await changedPaths(repository, ["--diff-filter=A", before, after]);
  return { all: new Set(all), added: new Set(added) };
}

/**
 * The paths that landing these branches will touch, as far as can be known before the rebase: each branch changed them,
 * and has another content than the target.
 */
export async function pathsOfBranches(
  repository: Repository,
  { before, branches }: { readonly before: string; readonly branches: readonly ChosenBranch[] },
): Promise<TouchedPaths> {
  const all = new Set<string>();
  const added = new Set<string>();
  for (const { tip } of branches) {
    const base = (await repository.git(["merge-base", before, tip])).stdout.trim();
    if (base === "") continue;
    const ofBranch = await pathsBetween(repository, base, tip);
    const ofResult = await pathsBetween(repository, before, tip);
    for (const path of ofBranch.all) if (ofResult.all.has(path)) all.add(path);
    for (const path of ofBranch.all) if (ofResult.added.has(path)) added.add(path);
  }
  return { all, added };
}

async function changedPaths(repository: Repository, args: readonly string[]): Promise<string[]> {
  const listed = await repository.ask(["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", ...args]);
  return listed.split("\0").filter(Boolean);
}
