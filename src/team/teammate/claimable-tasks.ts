import { openBlockers, teamLead, teamUser, type WorkItem, type WorkItemId } from "../../protocol/index.ts";
import type { TaskChange } from "../../store/index.ts";

/** Selects the tasks that an idle member claims by itself. */
export interface ClaimableTasks {
  observe(change: Pick<TaskChange, "what" | "by" | "item" | "freed">): void;
  /** Loads the list when the run starts. Tasks that became free before that had no notification. */
  loadList(list: readonly WorkItem[]): void;
  /** The claimable tasks by number, without those that need tools the member lacks. */
  claimableIn(list: readonly WorkItem[]): readonly WorkItem[];
}

/**
 * An idle member may claim tasks without an owner. It may also claim its own tasks that were blocked when it got their
 * mail, because nothing else announces that they are free. It does not claim a task again that it released, until the
 * lead or the user changes the task or its blockers are done. Otherwise members could pass an impossible task around
 * forever.
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
