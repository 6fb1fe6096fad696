import { troupeNotice } from "../notice.ts";
import { uncommittedText } from "../worktree.ts";

/** The end of a teammate, for its lead. */
export interface EndedMemberFacts {
  readonly name: string;
  readonly team: string;
  readonly reason: "shutdown" | "killed" | "failed" | "lost";
  readonly detail?: string | undefined;
  /** An external program runs it, and may continue. */
  readonly isExternal?: boolean | undefined;
  /** Tasks that others can claim now. */
  readonly releasedTasks: readonly number[];
  readonly worktree?: LeftWorktree | undefined;
}

/** The work that a teammate left in its worktree. */
export interface LeftWorktree {
  readonly path: string;
  readonly branch: string | undefined;
  /** The branch that the work lands on. Undefined if it is not known. */
  readonly target?: string | undefined;
  readonly uncommittedFiles: number;
  /** The paths of these files. */
  readonly uncommitted: readonly string[];
  /** Commits that are not landed. */
  readonly commits: number;
}

/** One message about the end of a teammate, and about what it leaves behind. */
export const memberEnded = (ended: EndedMemberFacts): string => troupeNotice(memberEndedText(ended));

/** The same for people. */
export const memberEndedText = (ended: EndedMemberFacts): string =>
  [
    howItEnded(ended),
    ...(ended.releasedTasks.length === 0 ? [] : [releasedText(ended.releasedTasks)]),
    ...(ended.worktree ? [leftWorktreeText(ended.worktree)] : []),
    ...(ended.reason === "lost"
      ? [
          `The user can bring it back with 'troupe team respawn ${ended.team} ${ended.name}'. Its work so far is in its transcript.`,
        ]
      : []),
  ].join(" ");

const releasedText = (ids: EndedMemberFacts["releasedTasks"]): string =>
  `Released to the task list: ${ids.map((id) => `#${id}`).join(", ")}. An idle teammate claims them, unless you give them an owner.`;

function howItEnded({ name, reason, detail, isExternal }: EndedMemberFacts): string {
  const why = detail === undefined ? "" : `: ${detail.replace(/\.$/, "")}`;
  if (isExternal)
    return reason === "shutdown"
      ? `${name} has agreed to end and is no longer in the team.`
      : `${name} did not answer and is no longer in the team. An external program runs it and may continue.`;
  switch (reason) {
    case "shutdown":
      return `${name} has agreed to end and has ended.`;
    case "killed":
      return `${name} was ended${why}.`;
    case "failed":
      return `${name} has failed and ended${why}.`;
    case "lost":
      return `Your teammate ${name} is gone${why}.`;
  }
}

/** The work that is left in a worktree, and its place. */
const leftWorktreeText = ({ path, branch, uncommitted, commits }: LeftWorktree): string => {
  const land =
    branch === undefined || commits === 0 ? "" : ` To bring it to your branch: Land (branches: ["${branch}"]).`;
  const left = [
    ...(uncommitted.length > 0 ? [uncommittedText(uncommitted)] : []),
    ...(commits > 0 ? [`${commits === Infinity ? "some" : commits} commit${commits === 1 ? "" : "s"} not landed`] : []),
  ];
  const where = `${path}${branch === undefined ? "" : ` on branch ${branch}`}`;
  return left.length === 0
    ? `Its worktree ${where} is kept.`
    : `Its worktree ${where} is kept, with ${left.join(" and ")}.${land}`;
};
