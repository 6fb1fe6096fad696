import { teamLead } from "../../../protocol/index.ts";
import { uncommittedText } from "../worktree.ts";
import type { LeftWorktree } from "./member-ended.ts";

/** A completed task whose work has not landed, and the tasks of others that it has unblocked. */
export interface UnlandedTask {
  readonly owner: string;
  readonly work: LeftWorktree;
  readonly unblocked: readonly { readonly id: number }[];
}

/** For the agent that completed the task. Others do not have its work yet, so it says what to do. */
export function unlandedNote({ owner, work, unblocked }: UnlandedTask, reader: string): string {
  const { branch } = work;
  const where = reader === owner ? "Your work is only in your" : `The work of ${owner} is only in its`;
  const state = `${where} worktree${onBranch(work)}: ${amount(work)}. The agent that does ${numbers(unblocked)} in another folder does not have it.`;
  const commit =
    work.uncommitted.length === 0
      ? ""
      : ` ${reader === owner ? "Commit" : `Have ${owner} commit`} it all: only commits land.`;
  if (branch === undefined) return `${state}${commit}`;
  const land = `Land (branches: [${JSON.stringify(branch)}])`;
  return reader === teamLead
    ? `${state}${commit} Bring it to your branch with ${land}.`
    : `${state}${commit} Say in your report that ${teamLead} should bring it to the others with ${land}.`;
}

/** For the lead that asks a member to end in the middle of its work. */
export function unfinishedWorkNote(name: string, work: LeftWorktree): string {
  const { branch, commits } = work;
  const land =
    branch === undefined || commits === 0
      ? ""
      : ` Land what is committed: Land (branches: [${JSON.stringify(branch)}]).`;
  return `Note: ${name} is working, and not all of its work is on your branch: ${amount(work)}.${land}`;
}

/** The work of a member that the lead's branch does not have. */
export interface UnlandedWork {
  readonly owner: string;
  /** It has ended, so it commits nothing more. */
  readonly hasEnded: boolean;
  readonly work: LeftWorktree;
}

/** One line for each branch that has not landed, with the call that lands it. */
export function unlandedLines(all: readonly UnlandedWork[]): readonly string[] {
  return all.slice(0, linesShown).map(({ owner, hasEnded, work }) => {
    const { branch, commits, uncommitted } = work;
    const land = branch === undefined ? "" : `Land (branches: [${JSON.stringify(branch)}])`;
    const first =
      uncommitted.length > 0 && !hasEnded ? `have ${owner} commit its files with SendMessage${land && ", then "}` : "";
    const next = commits > 0 || first !== "" ? `${first}${land}` : `its files stay in ${work.path}`;
    return `- ${owner}${onBranch(work)}: ${amount(work)}. Next: ${next}.`;
  });
}

const linesShown = 20;

/** For the agent that completed a task and left files uncommitted. */
export function uncommittedNote({ owner, work }: Pick<UnlandedTask, "owner" | "work">, reader: string): string {
  const files = uncommittedText(work.uncommitted);
  const what = work.uncommitted.length === 1 ? "it" : "them";
  return reader === owner
    ? `Your worktree has ${files}: commit ${what}, only commits land.`
    : `The worktree of ${owner} has ${files}: have ${owner} commit ${what}, only commits land.`;
}

/** For the lead that completes the task of a member whose work its own folder does not have. */
export const uncheckableText = ({ taskId, owner, work }: UnlandedBlocker): string =>
  `#${taskId} is not completed: its checks would run in your folder, and ${owner} works on it in its own worktree${onBranch(work)}: ${amount(work)}. ${work.uncommitted.length === 0 ? "Land that branch first" : `Have ${owner} commit it all and land that branch first`}, or have ${owner} complete the task.`;

/** Work that a task builds on, and that the folder of its owner may not have. */
export interface UnlandedBlocker {
  readonly taskId: number;
  readonly owner: string;
  readonly work: LeftWorktree;
}

/**
 * How a member gets the work on the branch of another. `merge`: it has its own branch, so a merge concerns only itself.
 * `compare`: it only reads. `land`: it is the lead. `ask`: it shares the lead's folder.
 */
export type BranchUse = "merge" | "compare" | "land" | "ask";

/** For the agent that begins a task. */
export function unlandedBlockerNote({ taskId, owner, work }: UnlandedBlocker, use: BranchUse): string {
  const state = `The work of ${owner} for #${taskId} is only in its worktree${onBranch(work)}: ${amount(work)}.`;
  const commit = work.commits === 0 ? `ask ${owner} to commit it, then ` : "";
  return `${state} If you need it, ${commit}${wayTo(work, use)}.`;
}

function wayTo({ branch, target = "HEAD" }: LeftWorktree, use: BranchUse): string {
  if (branch === undefined) return `ask ${teamLead} to land it`;
  switch (use) {
    case "merge":
      return `run git merge ${branch} in your folder`;
    case "compare":
      return `run git diff ${target}...${branch}`;
    case "land":
      return `bring it to your branch with Land (branches: [${JSON.stringify(branch)}])`;
    case "ask":
      return `ask ${teamLead} to land it`;
  }
}

const onBranch = ({ branch }: LeftWorktree) => (branch === undefined ? "" : `, on the branch ${branch}`);

const amount = ({ commits, uncommitted }: LeftWorktree): string =>
  [
    ...(commits === 0 ? [] : [`${commits} ${commits === 1 ? "commit" : "commits"} not landed`]),
    ...(uncommitted.length === 0 ? [] : [uncommittedText(uncommitted)]),
  ].join(", ");

const numbers = (tasks: UnlandedTask["unblocked"]) => tasks.map(({ id }) => `#${id}`).join(", ");
