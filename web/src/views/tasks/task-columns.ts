import type { WorkItem, WorkItemId, WorkItemStatus } from "../../../../src/protocol/index.ts";

export type ColumnName = Exclude<WorkItemStatus, "deleted">;

export const columnTitles: Readonly<Record<ColumnName, string>> = {
  pending: "Pending",
  in_progress: "In progress",
  completed: "Completed",
};

/** A task with its dependencies and dependents. */
export interface BoardTask {
  readonly task: WorkItem;
  /** Open dependencies: not completed, or completed with checks still running. */
  readonly waitsFor: readonly WorkItem[];
  /** Finished dependencies. */
  readonly finishedDependencies: readonly WorkItem[];
  /** The tasks that wait for it. */
  readonly unblocks: readonly WorkItem[];
}

/** Tasks that can start come before waiting ones; recently completed tasks come first. */
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

/** A task whose checks are still running unblocks nothing. */
const isOpen = ({ status, proof, proofDetail, acceptance }: WorkItem): boolean =>
  status !== "completed" || (acceptance.length > 0 && proof === "claimed" && proofDetail === undefined);

const byId = (a: BoardTask, b: BoardTask): number => a.task.id - b.task.id;
