import { isOpenTask, teamLead, teamUser, type WorkItem, type WorkItemId } from "../../../protocol/index.ts";
import type { TaskEntry, TaskEntryOf } from "./task-entry.ts";
import type { TaskRefusal } from "./task-list.ts";
import { blocksInTheEnd, openBlockers, type TaskState } from "./task-list-state.ts";

export interface RefusedTask {
  readonly reason: TaskRefusal;
  readonly message: string;
  readonly item?: WorkItem;
}

/** Returns the reason why an entry has no effect at its position, or undefined if it is valid. Pure. */
export function validateTaskEntry(state: TaskState, entry: TaskEntry): RefusedTask | undefined {
  if (entry.do === "create")
    return validateEdges(state, state.nextId, { blocks: entry.blocks, blockedBy: entry.blockedBy });
  const item = state.items.get(entry.id);
  if (item === undefined) return missing(state, entry.id);
  switch (entry.do) {
    case "claim":
      return validateClaim(state, item, entry);
    case "change":
      return validateChange(state, item, entry);
    case "release":
      return validateRelease(item, entry);
    case "settle":
      return validateSettle(item, entry);
  }
}

/** The lead and the user may also change the tasks of others. */
const isChief = (name: string): boolean => name === teamLead || name === teamUser;

function validateClaim(
  state: TaskState,
  item: WorkItem,
  claim: { readonly by: string; readonly can?: readonly string[] | undefined },
): RefusedTask | undefined {
  const { id, owner, status } = item;
  if (status === "in_progress" && owner === claim.by) return undefined;
  if (status === "completed") return over(item);
  if (owner !== undefined && owner !== claim.by) {
    const word = status === "in_progress" ? "already claimed by" : "assigned to";
    return { reason: "taken", message: `Task ${id} is ${word} ${owner}. Choose another task.`, item };
  }
  const blockers = openBlockers(state, item);
  if (blockers.length > 0) return blocked(item, blockers);
  const lacking = claim.can === undefined ? [] : item.needs.filter((tool) => !claim.can?.includes(tool));
  if (lacking.length > 0) {
    const message = `Task ${id} needs tools that ${claim.by} does not have: ${lacking.join(", ")}. Leave it to a member that has them.`;
    return { reason: "unfit", message, item };
  }
  const [busyWith] = state.active.get(claim.by) ?? [];
  if (busyWith === undefined) return undefined;
  const message = `${claim.by} has task ${busyWith} in progress. Complete or release it, then claim task ${id}.`;
  return { reason: "busy", message, item };
}

function validateChange(state: TaskState, item: WorkItem, entry: TaskEntryOf<"change">): RefusedTask | undefined {
  const { patch } = entry;
  const refused = validateHold(item, entry);
  if (refused !== undefined) return refused;
  if (patch.status !== undefined || patch.owner !== undefined) {
    const notYours = validateOwner(item, entry.by);
    if (notYours !== undefined) return notYours;
  }
  if (patch.acceptance !== undefined && entry.by !== item.createdBy && !isChief(entry.by)) {
    const message = `The checks of task ${item.id} are ${item.createdBy}'s, who created it. Nothing was changed. Ask ${item.createdBy} to change them.`;
    return { reason: "taken", message, item };
  }
  if (patch.status === "in_progress") {
    const unbegun = validateStart(state, item, entry);
    if (unbegun !== undefined) return unbegun;
  }
  if (patch.status === "completed" && (entry.strict || !isChief(entry.by))) {
    const blockers = openBlockers(state, item);
    if (blockers.length > 0) return blocked(item, blockers);
  }
  return validateEdges(state, item.id, { blocks: patch.addBlocks ?? [], blockedBy: patch.addBlockedBy ?? [] });
}

/** A member that starts a task for itself claims it. Only the lead and the user can start it for another member. */
function validateStart(state: TaskState, item: WorkItem, entry: TaskEntryOf<"change">): RefusedTask | undefined {
  const { by, patch } = entry;
  if (item.status === "in_progress" && (patch.owner === undefined || patch.owner === item.owner)) return undefined;
  const blockers = openBlockers(state, item);
  if (blockers.length > 0) return blocked(item, blockers);
  if (patch.owner === null) {
    return {
      reason: "taken",
      message: `Task ${item.id} cannot be in progress without an owner. Set an owner or leave out the status.`,
      item,
    };
  }
  const ownerText = patch.owner ?? (isChief(by) ? item.owner : undefined) ?? by;
  if (ownerText !== by && isChief(by)) return undefined;
  if (ownerText !== by) {
    const message = `Only ${teamLead} and ${teamUser} can start a task for another member. Assign task ${item.id} to ${ownerText} without a status.`;
    return { reason: "taken", message, item };
  }
  // A restarted task, or one that the lead or user takes over, is claimed as if it had no owner.
  const { owner, ...rest } = item;
  const asked = { ...rest, status: "pending" as const, ...(owner !== undefined && !isChief(by) && { owner }) };
  const refused = validateClaim(state, asked, entry);
  return refused && { ...refused, item };
}

function validateRelease(item: WorkItem, entry: TaskEntryOf<"release">): RefusedTask | undefined {
  const refused = validateHold(item, { by: entry.of ?? entry.by, generation: entry.generation });
  if (refused !== undefined) return refused;
  if (item.status === "completed" && (entry.of === undefined || !isOpenTask(item))) return over(item);
  return entry.of === undefined ? validateOwner(item, entry.by) : undefined;
}

function validateSettle(item: WorkItem, entry: TaskEntryOf<"settle">): RefusedTask | undefined {
  if (item.status === "completed" && item.generation === entry.generation && item.proof === "claimed") return undefined;
  const message = `Task ${item.id} has changed since its checks started, so their result no longer applies.`;
  return { reason: "stale", message, item };
}

/** A write that names its claim is valid only while that claim holds. */
function validateHold(
  item: WorkItem,
  { by: name, generation }: { readonly by: string; readonly generation?: number | undefined },
): RefusedTask | undefined {
  if (generation === undefined || (item.owner === name && item.generation === generation)) return undefined;
  const now =
    item.owner === undefined
      ? "it is back on the list without an owner"
      : item.owner === name
        ? "that claim has ended, and a later one of yours counts"
        : `it belongs to ${item.owner} now`;
  const message = `Task ${item.id} is not yours any more: ${now}. Stop working on it and read the task list.`;
  return { reason: "stale", message, item };
}

function validateOwner(item: WorkItem, name: string): RefusedTask | undefined {
  if (item.owner === undefined || item.owner === name || isChief(name)) return undefined;
  const message = `Task ${item.id} belongs to ${item.owner} (${item.status}). Ask ${item.owner} or ${teamLead} to change it.`;
  return { reason: "taken", message, item };
}

function validateEdges(
  state: TaskState,
  id: WorkItemId,
  { blocks, blockedBy }: { readonly blocks: readonly WorkItemId[]; readonly blockedBy: readonly WorkItemId[] },
): RefusedTask | undefined {
  for (const other of [...blocks, ...blockedBy]) {
    if (other === id) return dependency(`Task ${id} cannot block itself.`);
    if (!state.items.has(other)) return dependency(`${missing(state, other).message} Nothing can depend on it.`);
  }
  for (const blocker of blockedBy) {
    for (const end of [id, ...blocks]) {
      if (blocksInTheEnd(state, end, blocker)) return cycle(blocker, end);
    }
  }
  for (const end of blocks) if (blocksInTheEnd(state, end, id)) return cycle(id, end);
  return undefined;
}

const dependency = (message: string): RefusedTask => ({ reason: "dependency", message });

const cycle = (blocker: WorkItemId, end: WorkItemId): RefusedTask =>
  dependency(`Task ${end} already blocks task ${blocker}, directly or through others. In a cycle neither could start.`);

const blocked = (item: WorkItem, blockers: readonly WorkItemId[]): RefusedTask => ({
  reason: "blocked",
  message: `Task ${item.id} is blocked by ${blockers.length === 1 ? "task" : "tasks"} ${blockers.join(", ")}.`,
  item,
});

const over = (item: WorkItem): RefusedTask => ({
  reason: "over",
  message: `Task ${item.id} is completed${item.owner === undefined ? "" : ` by ${item.owner}`}.`,
  item,
});

const missing = (state: TaskState, id: WorkItemId): RefusedTask => ({
  reason: "missing",
  message: id < state.nextId ? `Task ${id} was deleted.` : `There is no task ${id}.`,
});
