/** The worktree of an agent, for its prompt and its reports. */
export interface WorktreeFacts {
  /** Its folder, and the agent's working directory. */
  readonly path: string;
  /** Empty if it is on no branch. */
  readonly branch: string;
  /** The commit that it started from. */
  readonly baseCommit: string | undefined;
  /** The branch that was checked out in `checkout` then: the work lands there. Undefined on a detached head. */
  readonly baseBranch: string | undefined;
  /** The checkout that it was made from: a path there is the same file below `path`. */
  readonly checkout: string;
  /** The ignored files that it has. Undefined if a hook made it: then that is not known. */
  readonly ignored: IgnoredFiles | undefined;
  /** Set if its folder was gone and was made again: what that means for the agent. */
  readonly recreated?: string | undefined;
}

/** The ignored paths that a worktree began with. */
export interface IgnoredFiles {
  /** Copies, such as `node_modules`: changing them changes nothing in the checkout. */
  readonly copied: readonly string[];
  /** Links into the checkout: writing there changes the checkout. */
  readonly linked: readonly string[];
  /** The setup command of the settings, which may have made more. */
  readonly setup: string | undefined;
}

/** For an agent whose worktree was removed or lost, and made again when it resumed. */
export const recreatedWorktreeText = (
  tree: Pick<WorktreeFacts, "path" | "branch" | "baseCommit">,
  branchIs: "kept" | "new",
) =>
  `Your worktree ${tree.path} was gone and was made again, on branch ${tree.branch}. ${
    branchIs === "kept"
      ? "It has the commits of that branch. Files that were not committed are not there."
      : `It starts from commit ${(tree.baseCommit ?? "").slice(0, 9)}: the branch was gone too. Files from before are not there.`
  } Read files again before you edit them.`;

/** The work in a worktree that has not reached the branch it started from. */
export interface WorktreeState {
  readonly path: string;
  /** Empty if it is on no branch. */
  readonly branch: string;
  /** The branch that the work lands on. Undefined if it is not known. */
  readonly target: string | undefined;
  /** Commits that `target` does not have, neither as they are nor rewritten by a landing. */
  readonly commits: number;
  /** Changed, staged and new files. */
  readonly uncommitted: readonly string[];
}

/** `branch troupe/x: 1 commit that main does not have, 2 uncommitted files (a.ts, b.ts)`. */
export function worktreeStateLine({ branch, target, commits, uncommitted }: WorktreeState): string {
  const where = branch === "" ? "no branch" : `branch ${branch}`;
  return `${where}: ${count(commits, "commit")} that ${target ?? "its base"} does not have, ${uncommittedText(uncommitted)}`;
}

/** `2 uncommitted files (a.ts, b.ts)`. */
export function uncommittedText(files: readonly string[]): string {
  const names = files.slice(0, shownFiles).join(", ");
  const more = files.length > shownFiles ? ` and ${files.length - shownFiles} more` : "";
  return `${count(files.length, "uncommitted file")}${files.length === 0 ? "" : ` (${names}${more})`}`;
}

/** For the lead: how the work of an agent's worktree reaches the lead's branch. */
export function landHint({ branch, target, commits, uncommitted }: WorktreeState): string[] {
  const commit =
    uncommitted.length === 0 ? [] : ["Uncommitted files do not land: use SendMessage to have them committed."];
  if (branch === "" || (commits === 0 && uncommitted.length === 0)) return [];
  return [...commit, `Bring it to ${target ?? "your branch"} with Land (branches: [${JSON.stringify(branch)}]).`];
}

const shownFiles = 5;

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
