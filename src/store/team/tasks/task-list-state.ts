import * as z from "zod";
import { ProcessIdentity, storageError } from "../../../platform/index.ts";
import { isOpenTask, WorkItem, type WorkItemId } from "../../../protocol/index.ts";

/** The state of a task list. Items are never changed, only replaced. */
export interface TaskState {
  nextId: WorkItemId;
  readonly items: Map<WorkItemId, WorkItem>;
  /** The processes that claimed the tasks in progress. */
  readonly holders: Map<WorkItemId, ProcessIdentity>;
  /** The tasks in progress of each member. */
  readonly active: Map<string, Set<WorkItemId>>;
}

export const emptyTasks = (): TaskState => ({ nextId: 1, items: new Map(), holders: new Map(), active: new Map() });

export function putItem(state: TaskState, item: WorkItem, holder?: ProcessIdentity): WorkItem {
  dropActive(state, state.items.get(item.id));
  state.items.set(item.id, item);
  if (holder === undefined) state.holders.delete(item.id);
  else state.holders.set(item.id, holder);
  if (item.status !== "in_progress" || item.owner === undefined) return item;
  const own = state.active.get(item.owner) ?? new Set();
  state.active.set(item.owner, own.add(item.id));
  return item;
}

export function removeItem(state: TaskState, item: WorkItem): void {
  dropActive(state, item);
  state.items.delete(item.id);
  state.holders.delete(item.id);
}

function dropActive(state: TaskState, item: WorkItem | undefined): void {
  if (item?.owner === undefined) return;
  const own = state.active.get(item.owner);
  own?.delete(item.id);
  if (own?.size === 0) state.active.delete(item.owner);
}

export const openBlockers = (state: TaskState, item: WorkItem): WorkItemId[] =>
  item.blockedBy.filter((id) => {
    const blocker = state.items.get(id);
    return blocker !== undefined && isOpenTask(blocker);
  });

/** True if `from` blocks `to`, directly or through other tasks. */
export function blocksInTheEnd(state: TaskState, from: WorkItemId, to: WorkItemId): boolean {
  const seen = new Set<WorkItemId>();
  const ahead = [from];
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    ahead.push(...(state.items.get(id)?.blocks ?? []));
  }
  return false;
}

const Snapshot = z.object({
  nextId: z.number().int().positive(),
  tasks: z.array(z.object({ item: WorkItem, holder: ProcessIdentity.optional() })),
});

export const snapshotTasks = (state: TaskState): z.infer<typeof Snapshot> => ({
  nextId: state.nextId,
  tasks: [...state.items.values()].map((item) => ({ item, holder: state.holders.get(item.id) })),
});

export function restoreTasks(value: unknown, path: string): TaskState {
  const snapshot = Snapshot.safeParse(value);
  if (!snapshot.success) throw storageError("use", path, new Error("its first line is not that of a task list"));
  const state = emptyTasks();
  state.nextId = snapshot.data.nextId;
  for (const { item, holder } of snapshot.data.tasks) putItem(state, item, holder);
  return state;
}
