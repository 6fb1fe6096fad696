import { openBlockers, teamLead, teamUser, type WorkItem, type WorkItemId } from "../protocol/index.ts";
import type { TaskChange } from "../store/index.ts";

/** Which tasks of a list a member takes up by itself when it has nothing to do. */
export interface FreeTasks {
  heard(change: Pick<TaskChange, "what" | "by" | "item" | "freed">): void;
  /** The list as its life begins: what became free before that, nobody has told it of. */
  begun(list: readonly WorkItem[]): void;
  /** By number; those it has not the tools for are left out. */
  of(list: readonly WorkItem[]): readonly WorkItem[];
}

/**
 * What is nobody's is for whoever is idle. Of its own tasks, which it has mail of, those that were blocked when it got
 * that mail: it could not begin then, and nothing else tells it when it can. What it has given back it leaves to others
 * until the lead or the user has changed it, or what blocked it is done: it would be woken with what it cannot do for ever,
 * in turn with others who cannot either.
 */
export function createFreeTasks(name: string, tools: () => readonly string[]): FreeTasks {
  const waitedFor = new Set<WorkItemId>();
  const had = new Set<WorkItemId>();
  const givenBack = new Set<WorkItemId>();
  const isFree = (task: WorkItem, list: readonly WorkItem[]) =>
    task.status === "pending" &&
    !givenBack.has(task.id) &&
    (task.owner === undefined || (task.owner === name && waitedFor.has(task.id))) &&
    openBlockers(task, list).length === 0;
  return {
    heard({ what, by, item, freed }) {
      for (const id of freed) {
        waitedFor.add(id);
        givenBack.delete(id);
      }
      if (by === teamLead || by === teamUser) givenBack.delete(item.id);
      if (by !== name) return;
      if (what === "claimed") had.add(item.id);
      else if (item.status === "pending" && item.owner === undefined && had.delete(item.id)) givenBack.add(item.id);
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
