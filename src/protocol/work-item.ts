import * as z from "zod";

/** The small number by which everybody speaks of an entry of a task list; never given twice. */
export const WorkItemId = z.number().int().positive();
export type WorkItemId = z.infer<typeof WorkItemId>;

export const WorkItemStatus = z.enum(["pending", "in_progress", "completed", "deleted"]);
export type WorkItemStatus = z.infer<typeof WorkItemStatus>;

/** A command the runtime runs itself once a task is said to be done: what it says is verified, the rest is claimed. */
export const AcceptanceCheck = z.object({
  command: z.string().min(1),
  timeoutMs: z.number().int().positive().optional(),
});
export type AcceptanceCheck = z.infer<typeof AcceptanceCheck>;

/** An entry of a task list, as everybody folds it. */
export const WorkItem = z.object({
  id: WorkItemId,
  subject: z.string(),
  description: z.string(),
  /** What its owner is doing, in the present tense: "Fixing the parser". */
  activeForm: z.string().optional(),
  status: WorkItemStatus,
  owner: z.string().optional(),
  /** Goes up with each claim; a change by an owner of an earlier one is void. */
  generation: z.number().int().nonnegative(),
  blocks: z.array(WorkItemId),
  blockedBy: z.array(WorkItemId),
  /** Tools that whoever claims it must have. */
  needs: z.array(z.string()),
  acceptance: z.array(AcceptanceCheck),
  /** Of a completed one: what its owner says, or what the checks have shown. */
  proof: z.enum(["claimed", "verified", "refuted"]).optional(),
  proofDetail: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()),
  createdBy: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type WorkItem = z.infer<typeof WorkItem>;

/**
 * Whether others still wait for it. A completed one with checks is waited for until they have been run, so that nobody
 * builds on what nobody has looked at; if they could not be run, the detail says so, and it counts as done.
 */
export function isOpenTask({ status, acceptance, proof, proofDetail }: WorkItem): boolean {
  if (status !== "completed") return status !== "deleted";
  return acceptance.length > 0 && proof === "claimed" && proofDetail === undefined;
}

/** What a task that has not begun still waits for. */
export function openBlockers(task: WorkItem, all: readonly WorkItem[]): WorkItemId[] {
  if (task.status !== "pending" || task.blockedBy.length === 0) return [];
  const open = new Set(all.filter(isOpenTask).map(({ id }) => id));
  return task.blockedBy.filter((id) => open.has(id));
}
