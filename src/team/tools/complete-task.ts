import { openBlockers, teamLead, type WorkItem } from "../../protocol/index.ts";
import type { TaskList, TaskPatch } from "../../store/index.ts";
import { failedResult, textResult, type ToolResult } from "../../tool/index.ts";
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
  const before = completionObstacle(task, ports);
  if (before !== undefined) return failedResult(before);
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
  await ports.record({ type: "task.updated", ...teamOf(ports), taskId: id, status: item.status });
  if (verdict?.proof === "refuted") return failedResult(refutedText(id, verdict.detail));
  ports.claims.delete(id);
  return textResult(`${doneText(item)}${unblockedText(item, await list.list())}`);
}

/** A reason for which the list would refuse anyway, reported before any hook runs. */
function completionObstacle({ id, status, owner }: WorkItem, ports: TaskToolPorts): string | undefined {
  if (status === "completed") return `#${id} is already completed. Nothing is left to do for it.`;
  if (owner === undefined || owner === ports.memberName() || ports.memberName() === teamLead) return undefined;
  return `#${id} belongs to ${owner}, and only its owner completes it. Ask ${owner} with SendMessage.`;
}

const hookRefusalText = (id: number, reason: string) =>
  `#${id} is not completed: a hook of the user says that it is not done.\n${reason}\nDo what it says, then complete it again.`;

const refutedText = (id: number, detail: string) =>
  `#${id} is not done: its checks failed, and it is still in progress.\n${detail}\nFind the cause, fix it, then complete it again.`;

function doneText({ id, proof, proofDetail }: WorkItem): string {
  const how =
    proof === "verified"
      ? "completed and verified: its checks passed."
      : `completed.${proofDetail === undefined ? "" : ` The completion is only claimed, not verified: ${proofDetail}`}`;
  return `Task #${id} is ${how}`;
}

/** Lists the tasks that only this one blocked. */
function unblockedText(done: WorkItem, all: readonly WorkItem[]): string {
  const unblocked = all.filter(
    (task) => task.status === "pending" && task.blockedBy.includes(done.id) && openBlockers(task, all).length === 0,
  );
  const unblockedTasks =
    unblocked.length === 0 ? "" : ` Unblocked now: ${unblocked.map(({ id }) => `#${id}`).join(", ")}.`;
  return `${unblockedTasks} TaskList shows what is left.`;
}
