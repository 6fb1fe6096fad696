import type { WorkItem, WorkItemId, WorkItemStatus } from "../../../../src/protocol/index.ts";

export type ColumnName = Exclude<WorkItemStatus, "deleted">;

export const columnTitles: Readonly<Record<ColumnName, string>> = {
  pending: "Pending",
  in_progress: "In progress",
  completed: "Completed",
};

/** A task with what stands before and behind it. */
export interface BoardTask {
  readonly task: WorkItem;
  /** What it waits for: not done, or done with checks that have not said so yet. */
  readonly waitsFor: readonly WorkItem[];
  /** What it waited for and need not any more. */
  readonly finishedDependencies: readonly WorkItem[];
  /** What waits for it. */
  readonly unblocks: readonly WorkItem[];
}

/** What can be begun stands before what has to wait; what was done last before what was done long ago. */
export function taskColumns(tasks: readonly WorkItem[]): Readonly<Record<ColumnName, readonly BoardTask[]>> {
  const known = new Map(tasks.filter(({ status }) => status !== "deleted").map((task) => [task.id, task]));
  const found = (ids: readonly WorkItemId[]) => ids.flatMap((id) => known.get(id) ?? []);
  const columns: Record<ColumnName, BoardTask[]> = { pending: [], in_progress: [], completed: [] };
  for (const task of known.values()) {
    if (task.status === "deleted") continue;
    const before = found(task.blockedBy);
    const waitsFor = before.filter(isOpen);
    const finishedDependencies = before.filter((other) => !isOpen(other));
    columns[task.status].push({ task, waitsFor, finishedDependencies, unblocks: found(task.blocks) });
  }
  columns.pending.sort((a, b) => Number(a.waitsFor.length > 0) - Number(b.waitsFor.length > 0) || byId(a, b));
  columns.in_progress.sort(byId);
  columns.completed.sort((a, b) => (a.task.updatedAt < b.task.updatedAt ? 1 : -1));
  return columns;
}

/** A task whose checks are still to say whether it is done frees nothing. */
const isOpen = ({ status, proof, proofDetail, acceptance }: WorkItem): boolean =>
  status !== "completed" || (acceptance.length > 0 && proof === "claimed" && proofDetail === undefined);

const byId = (a: BoardTask, b: BoardTask): number => a.task.id - b.task.id;
