import { returnedBy, openBlockers, type WorkItem, type WorkItemId } from "../../protocol/index.ts";
import { editingTools } from "../../tool/index.ts";

/** The member for which the runtime would claim a task, as it is now. */
export interface ClaimingMember {
  readonly name: string;
  readonly tools: readonly string[];
  /** It has ended its first turn, or waits for no prompt. */
  readonly hasBegun: boolean;
  /** The lead's turn runs. It may be about to give the task to another member. */
  readonly isLeadWorking: boolean;
  /** Tasks whose assignment is on the way to it by mail. */
  readonly skipped: ReadonlySet<WorkItemId>;
}

export type ClaimObstacle =
  | "not_pending"
  | "owned"
  | "returned"
  | "blocked"
  | "skipped"
  | "unfit"
  | "reads_only"
  | "not_begun"
  | "lead_works";

/**
 * The reason why the runtime does not claim this task for the member now. Undefined: it does. The rules for tasks
 * without an owner do not apply to the member's own tasks: an agent has decided about those.
 */
export function claimObstacle(
  task: WorkItem,
  { list, member }: { readonly list: readonly WorkItem[]; readonly member: ClaimingMember },
): ClaimObstacle | undefined {
  if (task.status !== "pending") return "not_pending";
  if (task.owner !== undefined && task.owner !== member.name) return "owned";
  if (returnedBy(task) !== undefined) return "returned";
  if (openBlockers(task, list).length > 0) return "blocked";
  if (member.skipped.has(task.id)) return "skipped";
  if (task.needs.some((tool) => !member.tools.includes(tool))) return "unfit";
  if (task.owner === member.name) return undefined;
  if (!member.tools.some((tool) => editingTools.has(tool))) return "reads_only";
  if (!member.hasBegun) return "not_begun";
  return member.isLeadWorking ? "lead_works" : undefined;
}
