import { isOpenTask, type WorkItem, type WorkItemId } from "../../protocol/index.ts";
import { runtimeName } from "../team/record/team-names.ts";
import type { TaskChange } from "../team/tasks/task-list.ts";
import { openBlockers, type TaskState } from "../team/tasks/task-list-state.ts";
import type { ReadTask } from "./task-file.ts";

/** The tasks of one look at their files. */
export interface SeenTasks {
  readonly tasks: ReadonlyMap<WorkItemId, ReadTask>;
  readonly state: TaskState;
}

/** Returns what our members and other programs did between two looks. */
export function changesBetween(before: SeenTasks, after: SeenTasks, at: string): TaskChange[] {
  const freed = (item: WorkItem) =>
    item.blocks.filter((id) => {
      const [was, is] = [before.state.items.get(id), after.state.items.get(id)];
      const wasBlocked = was !== undefined && openBlockers(before.state, was).length > 0;
      return wasBlocked && is?.status === "pending" && openBlockers(after.state, is).length === 0;
    });
  const changes: TaskChange[] = [];
  for (const task of after.tasks.values()) {
    const { item, last } = task;
    const was = before.tasks.get(item.id);
    if (was !== undefined && isSame(was, task)) continue;
    const isOurs = last !== undefined && last.number !== was?.last?.number && isUnchanged(task);
    const facts = isOurs ? last : guessed(was?.item, item, at);
    const { what, by, at: when, why } = facts as Pick<TaskChange, "what" | "by" | "at" | "why">;
    const known = { ...(was && { previous: was.item }), ...(why !== undefined && { why }) };
    changes.push({ what, by, at: when, item, freed: isOpenTask(item) ? [] : freed(item), ...known });
  }
  for (const { item } of before.tasks.values()) {
    if (after.tasks.has(item.id)) continue;
    changes.push({ what: "deleted", by: runtimeName, at, item: { ...item, status: "deleted" }, freed: freed(item) });
  }
  return changes;
}

/** Infers what another program did from the result. */
function guessed(was: WorkItem | undefined, item: WorkItem, at: string): Pick<TaskChange, "what" | "by" | "at"> {
  const by = item.owner ?? item.createdBy;
  if (was === undefined) return { what: "created", by: item.createdBy, at };
  if (was.status === item.status) return { what: "changed", by, at };
  const what = { pending: "released", in_progress: "claimed", completed: "completed", deleted: "deleted" } as const;
  return { what: what[item.status], by, at };
}

const isSame = (a: ReadTask, b: ReadTask): boolean =>
  a.last?.number === b.last?.number && JSON.stringify(a.item) === JSON.stringify(b.item);

/** True if no other program has changed it since we wrote it. */
function isUnchanged({ item, raw }: ReadTask): boolean {
  const ours = (raw["metadata"] as { troupe?: { status?: unknown; owner?: unknown } } | undefined)?.troupe;
  return ours?.status === item.status && ours.owner === item.owner;
}
