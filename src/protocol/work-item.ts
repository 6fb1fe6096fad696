import * as z from "zod";

/** The number of a task in its list. Never reused. */
export const WorkItemId = z.number().int().positive();
export type WorkItemId = z.infer<typeof WorkItemId>;

export const WorkItemStatus = z.enum(["pending", "in_progress", "completed", "deleted"]);
export type WorkItemStatus = z.infer<typeof WorkItemStatus>;

/**
 * A command that the runtime runs when a task is reported as done. Its result is verified; everything else is only
 * claimed.
 */
export const AcceptanceCheck = z.object({
  command: z.string().min(1),
  timeoutMs: z.number().int().positive().optional(),
});
export type AcceptanceCheck = z.infer<typeof AcceptanceCheck>;

/** The last words of an owner about its work, and the branch that has it. */
export const OwnerWords = z.object({ text: z.string(), branch: z.string().optional() });
export type OwnerWords = z.infer<typeof OwnerWords>;

/** A member that began the task and does not have it any more. */
export const PastOwner = z.object({
  owner: z.string(),
  until: z.string(),
  said: OwnerWords.optional(),
  /** It released the task itself, and neither the lead nor the user has changed the task since. */
  returned: z.literal(true).optional(),
});
export type PastOwner = z.infer<typeof PastOwner>;

/** A task as every process folds it. */
export const WorkItem = z.object({
  id: WorkItemId,
  subject: z.string(),
  description: z.string(),
  /** The owner's activity in the present tense: "Fixing the parser". */
  activeForm: z.string().optional(),
  status: WorkItemStatus,
  owner: z.string().optional(),
  /** Increases with each claim. A change by the owner of an earlier claim is void. */
  generation: z.number().int().nonnegative(),
  blocks: z.array(WorkItemId),
  blockedBy: z.array(WorkItemId),
  /** Tools that the claiming member must have. */
  needs: z.array(z.string()),
  acceptance: z.array(AcceptanceCheck),
  /** For a completed task: the owner's claim, or the result of the checks. */
  proof: z.enum(["claimed", "verified", "refuted"]).optional(),
  proofDetail: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()),
  /** The last words of the owner about the task. */
  said: OwnerWords.optional(),
  /** Earlier owners, oldest first. */
  past: z.array(PastOwner).optional(),
  createdBy: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type WorkItem = z.infer<typeof WorkItem>;

/**
 * True while others must still wait for the task. A completed task with checks stays open until they have run, so that
 * no member builds on unchecked work. If they could not run, the detail says so and the task counts as done.
 */
export function isOpenTask({ status, acceptance, proof, proofDetail }: WorkItem): boolean {
  if (status !== "completed") return status !== "deleted";
  return acceptance.length > 0 && proof === "claimed" && proofDetail === undefined;
}

/** The member that returned the task to the lead. Undefined if the task does not wait for the lead. */
export function returnedBy({ status, owner, past = [] }: WorkItem): string | undefined {
  const last = past.at(-1);
  return status === "pending" && owner === undefined && last?.returned ? last.owner : undefined;
}

/** The owner that a task keeps when it is reopened: the last one, unless that member has ended or another is named. */
export function keptOwner(
  { status, owner }: Pick<WorkItem, "status" | "owner">,
  patch: { readonly status?: WorkItemStatus | undefined; readonly owner?: string | null | undefined },
  isMember: (name: string) => boolean,
): string | undefined {
  const isReopened = status === "completed" && patch.status === "pending" && patch.owner === undefined;
  return isReopened && owner !== undefined && isMember(owner) ? owner : undefined;
}

/** Returns the open tasks that a task still waits for before it can start. */
export function openBlockers(task: WorkItem, all: readonly WorkItem[]): WorkItemId[] {
  return task.status === "pending" ? openBlockersOf(task, all) : [];
}

/** Returns the open tasks that block a task, also if it has started: it cannot be completed before them. */
export function openBlockersOf(task: Pick<WorkItem, "blockedBy">, all: readonly WorkItem[]): WorkItemId[] {
  if (task.blockedBy.length === 0) return [];
  const open = new Set(all.filter(isOpenTask).map(({ id }) => id));
  return task.blockedBy.filter((id) => open.has(id));
}
