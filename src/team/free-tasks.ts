import { openBlockers, type WorkItem, type WorkItemId } from "../protocol/index.ts";

/** Which tasks of a list a member takes up by itself when it has nothing to do. */
export interface FreeTasks {
  /** These are not blocked any more. */
  freed(ids: readonly WorkItemId[]): void;
  /** The list as its life begins: what became free before that, nobody has told it of. */
  begun(list: readonly WorkItem[]): void;
  /** By number; those it has not the tools for are left out. */
  of(list: readonly WorkItem[]): readonly WorkItem[];
}

/**
 * What is nobody's is for whoever is idle. Of its own tasks, which it has mail of, those that were blocked when it got
 * that mail: it could not begin then, and nothing else tells it when it can.
 */
export function createFreeTasks(name: string, tools: () => readonly string[]): FreeTasks {
  const waitedFor = new Set<WorkItemId>();
  const isFree = (task: WorkItem, list: readonly WorkItem[]) =>
    task.status === "pending" &&
    (task.owner === undefined || (task.owner === name && waitedFor.has(task.id))) &&
    openBlockers(task, list).length === 0;
  return {
    freed(ids) {
      for (const id of ids) waitedFor.add(id);
    },
    begun(list) {
      for (const { id, owner, blockedBy } of list) if (owner === name && blockedBy.length > 0) waitedFor.add(id);
    },
    of(list) {
      const has = new Set(tools());
      return list.filter((task) => isFree(task, list) && task.needs.every((tool) => has.has(tool)));
    },
  };
}
