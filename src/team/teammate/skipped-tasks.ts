import type { WorkItemId } from "../../protocol/index.ts";
import type { TaskChange } from "../../store/index.ts";

/** The tasks that the runtime does not claim for a member now, although they look claimable. */
export interface SkippedTasks {
  readonly ids: ReadonlySet<WorkItemId>;
  observe(change: Pick<TaskChange, "by" | "item" | "freed" | "previous">): void;
  /** The member has ended a turn, in which it read its mail. */
  onTurnEnded(): void;
}

/**
 * A member does not claim a task that was just assigned to it or reopened: the mail about it is on the way and starts it.
 */
export function createSkippedTasks(name: string): SkippedTasks {
  const assigned = new Set<WorkItemId>();
  return {
    ids: assigned,
    observe({ by, item, freed, previous }) {
      for (const id of freed) assigned.delete(id);
      if (by === name) return;
      if (item.owner !== name || item.status !== "pending") assigned.delete(item.id);
      else if (previous?.owner !== name || previous.status === "completed") assigned.add(item.id);
    },
    onTurnEnded: () => assigned.clear(),
  };
}
