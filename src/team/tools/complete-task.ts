import { uncheckableText, taskLine, uncommittedNote, unlandedNote } from "../../agent/index.ts";
import { isOpenTask, openBlockers, openBlockersOf, teamLead, type WorkItem } from "../../protocol/index.ts";
import type { TaskList, TaskPatch, TaskProof } from "../../store/index.ts";
import { failedResult, textResult, type ToolResult } from "../../tool/index.ts";
import { tellAboutTask } from "./tell-about-task.ts";
import { actorOf, refusedResult, type TaskToolPorts, teamOf } from "./task-tool-ports.ts";

export interface Completion {
  readonly list: TaskList;
  readonly task: WorkItem;
  /** Other changes to the task in the same call. */
  readonly patch: TaskPatch;
  readonly ports: TaskToolPorts;
  readonly signal: AbortSignal;
}

/**
 * Completes a task. First the user's hooks may object; then the runtime runs the task's checks. Without checks the
 * completion is claimed; with them it is verified, or the task stays in progress. While they run the task is still in
 * progress, so that an interrupt or a crash leaves it there.
 */
export async function completeTask({ list, task, patch, ports, signal }: Completion): Promise<ToolResult> {
  const { id } = task;
  const before = completionObstacle(task, { all: await list.list(), ports });
  if (before !== undefined) return failedResult(before);
  const refusal = await uncheckableHere(task, ports);
  if (refusal !== undefined) return failedResult(refusal);
  const objection = await ports.hooks?.taskCompleted(task, signal);
  if (objection !== undefined) return failedResult(hookRefusalText(id, objection));
  const verdict = task.acceptance.length === 0 ? undefined : await ports.accept(task, signal);
  if (signal.aborted) return failedResult(`#${id} is not completed: you were interrupted before the decision.`);

  const completed = await list.update(id, { ...patch, status: "completed" }, actorOf(ports, id));
  if (!completed.ok) return refusedResult(completed, ports, id);
  let { item } = completed;
  if (verdict) {
    const settled = await list.settle(id, { ...verdict, generation: item.generation });
    if (!settled.ok) return refusedResult(settled, ports, id);
    ({ item } = settled);
  }
  const checks = checksOf(verdict?.proof);
  await ports.record({ type: "task.updated", ...teamOf(ports), taskId: id, status: item.status, checks });
  if (verdict?.proof === "refuted") return failedResult(refutedText(id, verdict.detail));
  ports.claims.delete(id);
  const all = await list.list();
  const told = await tellAboutTask({ ...completed, item }, { all, ports });
  const unblocked = unblockedBy(item, all);
  const unlanded = await unlandedText(item, unblocked, ports);
  return textResult(`${doneText(item)}${told}${unblockedText(unblocked)}${unlanded} TaskList shows what is left.`);
}

const checksOf = (proof: TaskProof["proof"] | undefined) =>
  proof === undefined ? "none" : proof === "verified" ? "passed" : "not_run";

/** A reason for which the list would refuse anyway, reported before any hook or check runs. */
function completionObstacle(
  task: WorkItem,
  { all, ports }: { readonly all: readonly WorkItem[]; readonly ports: TaskToolPorts },
): string | undefined {
  const { id, status, owner } = task;
  if (status === "completed") return `#${id} is already completed. Nothing is left to do for it.`;
  const isOthers = owner !== undefined && owner !== ports.memberName() && ports.memberName() !== teamLead;
  if (isOthers) return `#${id} belongs to ${owner}, and only its owner completes it. Ask ${owner}.`;
  const open = new Set(openBlockersOf(task, all));
  if (open.size === 0) return undefined;
  const blockers = all.filter((each) => open.has(each.id)).map((each) => taskLine(each, all));
  return `#${id} cannot be completed: it is blocked by\n${blockers.join("\n")}\nThese must be completed first, or deleted if they are not needed.`;
}

/** Checks run in the folder of the agent that completes the task, which may lack the work of the owner. */
async function uncheckableHere({ id, owner, acceptance }: WorkItem, ports: TaskToolPorts): Promise<string | undefined> {
  if (owner === undefined || owner === ports.memberName() || acceptance.length === 0) return undefined;
  const work = await ports.unlandedWork?.(owner);
  return work && (work.commits > 0 || work.uncommitted.length > 0)
    ? uncheckableText({ taskId: id, owner, work })
    : undefined;
}

const hookRefusalText = (id: number, reason: string) =>
  `#${id} is not completed: a hook of the user says that it is not done.\n${reason}\nDo what it says, then complete it again.`;

const refutedText = (id: number, detail: string) =>
  `#${id} is not done: its checks failed, and it is still in progress.\n${detail}\nFind the cause, fix it, then complete it again.`;

function doneText({ id, proof, proofDetail, acceptance }: WorkItem): string {
  if (acceptance.length === 0) return `Task #${id} is completed.`;
  return proof === "verified"
    ? `Task #${id} is completed, and its checks passed.`
    : `Task #${id} is set to completed, but not verified: ${proofDetail ?? ""}\nSay "completed, not verified" when you report it.`;
}

/** The tasks that only this one blocked. An idle owner may have begun one already. */
const unblockedBy = (done: WorkItem, all: readonly WorkItem[]): readonly WorkItem[] =>
  all.filter((task) => isOpenTask(task) && task.blockedBy.includes(done.id) && openBlockers(task, all).length === 0);

const unblockedText = (unblocked: readonly WorkItem[]): string =>
  unblocked.length === 0 ? "" : ` Unblocked now: ${unblocked.map(taskName).join(", ")}.`;

/** `#3 (rev)`. */
export const taskName = ({ id, owner }: WorkItem) => `#${id}${owner === undefined ? "" : ` (${owner})`}`;

/** Uncommitted work does not land, and work on a separate branch is not in the lead's folder. */
async function unlandedText(
  { owner = "" }: WorkItem,
  unblocked: readonly WorkItem[],
  ports: TaskToolPorts,
): Promise<string> {
  const others = unblocked.filter((task) => task.owner !== owner && !isToldTheBranch(task, ports));
  const work = await ports.unlandedWork?.(owner);
  const isClean = work?.uncommitted.length === 0;
  if (!work || (isClean && (work.commits === 0 || others.length === 0))) return "";
  return others.length === 0
    ? ` ${uncommittedNote({ owner, work }, ports.memberName())}`
    : ` ${unlandedNote({ owner, work, unblocked: others }, ports.memberName())}`;
}

/** True if the owner reads the branch when it begins, and can merge it or compare with it by itself. */
function isToldTheBranch({ owner }: WorkItem, { branchUse }: TaskToolPorts): boolean {
  const use = owner === undefined ? undefined : branchUse?.(owner);
  return use === "merge" || use === "compare";
}
