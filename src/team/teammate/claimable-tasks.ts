import { openBlockers, teamLead, teamUser, type WorkItem, type WorkItemId } from "../../protocol/index.ts";
import type { TaskChange } from "../../store/index.ts";

/** Which tasks of a list a member takes up by itself when it has nothing to do. */
export interface ClaimableTasks {
  observe(change: Pick<TaskChange, "what" | "by" | "item" | "freed">): void;
  /** The list as its life begins: what became free before that, nobody has told it of. */
  loadList(list: readonly WorkItem[]): void;
  /** By number; those it has not the tools for are left out. */
  claimableIn(list: readonly WorkItem[]): readonly WorkItem[];
}

/**
 * What is nobody's is for whoever is idle. Of its own tasks, which it has mail of, those that were blocked when it got
 * that mail: it could not begin then, and nothing else tells it when it can. What it has given back it leaves to others
 * until the lead or the user has changed it, or what blocked it is done: it would be woken with what it cannot do for ever,
 * in turn with others who cannot either.
 */
export function createClaimableTasks(name: string, tools: () => readonly string[]): ClaimableTasks {
  const unblocked = new Set<WorkItemId>();
  const claimedBefore = new Set<WorkItemId>();
  const releasedByMember = new Set<WorkItemId>();
  const isClaimable = (task: WorkItem, list: readonly WorkItem[]) =>
    task.status === "pending" &&
    !releasedByMember.has(task.id) &&
    (task.owner === undefined || (task.owner === name && unblocked.has(task.id))) &&
    openBlockers(task, list).length === 0;
  return {
    observe({ what, by, item, freed }) {
      for (const id of freed) {
        unblocked.add(id);
        releasedByMember.delete(id);
      }
      if (by === teamLead || by === teamUser) releasedByMember.delete(item.id);
      if (by !== name) return;
      if (what === "claimed") claimedBefore.add(item.id);
      else if (item.status === "pending" && item.owner === undefined && claimedBefore.delete(item.id))
        releasedByMember.add(item.id);
    },
    loadList(list) {
      for (const { id, owner, blockedBy } of list) if (owner === name && blockedBy.length > 0) unblocked.add(id);
    },
    claimableIn(list) {
      const toolNames = new Set(tools());
      return list.filter((task) => isClaimable(task, list) && task.needs.every((tool) => toolNames.has(tool)));
    },
  };
}
