import type { ProcessIdentity } from "../../../platform/index.ts";
import {
  returnedBy,
  isOpenTask,
  type OwnerWords,
  type PastOwner,
  teamLead,
  teamUser,
  type WorkItem,
  type WorkItemId,
} from "../../../protocol/index.ts";
import type { TaskEntry, TaskEntryOf } from "./task-entry.ts";
import type { TaskChange } from "./task-list.ts";
import { openBlockers, putItem, removeItem, type TaskState } from "./task-list-state.ts";

/** Applies a valid entry to the list. */
export function applyTask(state: TaskState, entry: TaskEntry): TaskChange {
  const before = entry.do === "create" ? undefined : found(state, entry.id);
  const change = applyEntry(state, entry);
  const kept = before === undefined ? change : keepHistory(state, before, change);
  for (const id of kept.freed) offerAgain(state, found(state, id));
  return isInCharge(kept.by) ? { ...kept, item: offerAgain(state, kept.item) } : kept;
}

const isInCharge = (name: string) => name === teamLead || name === teamUser;

/** Members may claim a returned task again: the lead or user changed it, or nothing blocks it any more. */
function offerAgain(state: TaskState, item: WorkItem): WorkItem {
  if (returnedBy(item) === undefined) return item;
  const past = (item.past ?? []).map(({ owner, until, said }) => pastOwner(owner, until, said));
  return putItem(state, { ...item, past });
}

const maxPastOwners = 5;

/** A task that changes hands keeps who had begun it, and what that member last said. */
function keepHistory(state: TaskState, before: WorkItem, change: TaskChange): TaskChange {
  const { item, at } = change;
  const previous = { status: before.status, ...(before.owner !== undefined && { owner: before.owner }) };
  const { said, ...rest } = item;
  if (before.owner === item.owner || item.status === "deleted") return { ...change, previous };
  const isBegun = before.status !== "pending" || said !== undefined;
  const returned = change.by === before.owner && item.owner === undefined && !isInCharge(change.by);
  const more =
    before.owner === undefined || !(isBegun || returned)
      ? []
      : [{ ...pastOwner(before.owner, at, said), ...(returned && { returned }) }];
  const past = [...(item.past ?? []), ...more].slice(-maxPastOwners);
  const kept = { ...rest, ...(past.length > 0 && { past }) };
  return { ...change, previous, item: putItem(state, kept, state.holders.get(item.id)) };
}

const pastOwner = (owner: string, until: string, said: OwnerWords | undefined): PastOwner => ({
  owner,
  until,
  ...(said && { said }),
});

function applyEntry(state: TaskState, entry: TaskEntry): TaskChange {
  switch (entry.do) {
    case "create":
      return result("created", entry, create(state, entry));
    case "claim":
      return result("claimed", entry, hold(state, found(state, entry.id), entry));
    case "change":
      return change(state, entry);
    case "release":
      return { ...result("released", entry, release(state, found(state, entry.id), entry.at)), why: entry.why };
    case "settle":
      return settle(state, entry);
  }
}

const result = (what: TaskChange["what"], { by, at }: TaskEntry, item: WorkItem): TaskChange => {
  return { what, by, at, item, freed: [] };
};

function found(state: TaskState, id: WorkItemId): WorkItem {
  const item = state.items.get(id);
  if (item === undefined) throw new Error(`task ${id} was not validated`);
  return item;
}

function create(state: TaskState, entry: TaskEntryOf<"create">): WorkItem {
  const { do: _, by, at, owner, activeForm, blocks, blockedBy, ...rest } = entry;
  const id = state.nextId++;
  const item: WorkItem = {
    id,
    ...rest,
    ...(activeForm !== undefined && { activeForm }),
    ...(owner !== undefined && { owner }),
    status: "pending",
    generation: owner === undefined ? 0 : 1,
    blocks: [],
    blockedBy: [],
    createdBy: by,
    createdAt: at,
    updatedAt: at,
  };
  putItem(state, item);
  link(state, id, { blocks, blockedBy });
  return found(state, id);
}

/** Gives the task to the claiming member. A repeated claim by the owner stays the same claim. */
function hold(
  state: TaskState,
  item: WorkItem,
  claim: { readonly by: string; readonly at: string; readonly holder?: ProcessIdentity | undefined },
): WorkItem {
  const isHeld = item.status === "in_progress" && item.owner === claim.by;
  const generation = isHeld ? item.generation : item.generation + 1;
  const held = {
    ...withoutProof(item),
    status: "in_progress",
    owner: claim.by,
    generation,
    updatedAt: claim.at,
  } as const;
  return putItem(state, held, claim.holder);
}

function release(state: TaskState, item: WorkItem, at: string): WorkItem {
  const { owner: _, ...rest } = withoutProof(item);
  return putItem(state, { ...rest, status: "pending", updatedAt: at });
}

function withoutProof(item: WorkItem): WorkItem {
  const { proof: _, proofDetail: __, ...rest } = item;
  return rest;
}

function change(state: TaskState, entry: TaskEntryOf<"change">): TaskChange {
  const { id, by, at, patch } = entry;
  const before = found(state, id);
  const waiting = before.blocks.filter((other) => isBlocked(state, other));
  const wasClaimed = patch.status === "in_progress" && before.status !== "in_progress";
  putItem(state, withFields(before, entry), state.holders.get(id));
  link(state, id, { blocks: patch.addBlocks ?? [], blockedBy: patch.addBlockedBy ?? [] });
  if (patch.owner !== undefined) setOwner(state, found(state, id), patch.owner);
  const owned = found(state, id);
  switch (patch.status) {
    case undefined:
      return result("changed", entry, owned);
    case "pending":
      if (patch.owner === undefined) return result("released", entry, release(state, owned, at));
      return result("changed", entry, putItem(state, { ...withoutProof(owned), status: "pending" }));
    case "in_progress": {
      const item = hold(state, owned, { by: owned.owner ?? by, at, holder: entry.holder });
      return result(wasClaimed ? "claimed" : "changed", entry, item);
    }
    case "completed": {
      const done = { ...withoutProof(owned), status: "completed", owner: owned.owner ?? by, proof: "claimed" } as const;
      return { ...result("completed", entry, putItem(state, done)), freed: freedOf(state, waiting) };
    }
    case "deleted": {
      unlink(state, owned);
      removeItem(state, owned);
      const { owner: _, ...rest } = withoutProof(owned);
      return { ...result("deleted", entry, { ...rest, status: "deleted" }), freed: freedOf(state, waiting) };
    }
  }
}

function withFields(item: WorkItem, entry: TaskEntryOf<"change">): WorkItem {
  const { patch, at } = entry;
  const { subject = item.subject, description = item.description, activeForm = item.activeForm } = patch;
  const { acceptance = item.acceptance } = patch;
  const merged = Object.entries({ ...item.metadata, ...patch.metadata }).filter(([, value]) => value !== null);
  return {
    ...item,
    subject,
    description,
    ...(activeForm !== undefined && { activeForm }),
    acceptance,
    metadata: Object.fromEntries(merged),
    ...wordsOf(item, entry),
    updatedAt: at,
  };
}

/** Words of the owner, or of the last owner of a task that was released since. */
function wordsOf(
  { owner, past = [] }: WorkItem,
  { by, patch }: TaskEntryOf<"change">,
): Pick<WorkItem, "said" | "past"> {
  const { said } = patch;
  if (said === undefined) return {};
  if (owner === by) return { said };
  const last = past.at(-1);
  return owner === undefined && last?.owner === by ? { past: [...past.slice(0, -1), { ...last, said }] } : {};
}

/** A new owner has not started the task, and the previous owner's claim ends. */
function setOwner(state: TaskState, item: WorkItem, owner: string | null): void {
  if (owner === (item.owner ?? null)) return;
  const { owner: _, ...rest } = item;
  const status = item.status === "in_progress" ? "pending" : item.status;
  putItem(state, { ...rest, ...(owner !== null && { owner }), status, generation: item.generation + 1 });
}

function settle(state: TaskState, entry: TaskEntryOf<"settle">): TaskChange {
  const before = found(state, entry.id);
  const waiting = before.blocks.filter((other) => isBlocked(state, other));
  const { proof, detail, at } = entry;
  const status = proof === "refuted" ? "in_progress" : "completed";
  const item = putItem(state, { ...before, status, proof, proofDetail: detail, updatedAt: at });
  return { ...result("settled", entry, item), freed: isOpenTask(item) ? [] : freedOf(state, waiting) };
}

const isBlocked = (state: TaskState, id: WorkItemId): boolean => openBlockers(state, found(state, id)).length > 0;

const freedOf = (state: TaskState, waiting: readonly WorkItemId[]): WorkItemId[] =>
  waiting.filter((id) => state.items.get(id)?.status === "pending" && !isBlocked(state, id));

function link(
  state: TaskState,
  id: WorkItemId,
  edges: { blocks: readonly WorkItemId[]; blockedBy: readonly WorkItemId[] },
): void {
  for (const other of edges.blocks) addEdge(state, id, other);
  for (const other of edges.blockedBy) addEdge(state, other, id);
}

function addEdge(state: TaskState, from: WorkItemId, to: WorkItemId): void {
  const blocker = found(state, from);
  const waiting = found(state, to);
  if (blocker.blocks.includes(to)) return;
  putItem(state, { ...blocker, blocks: [...blocker.blocks, to] }, state.holders.get(from));
  putItem(state, { ...waiting, blockedBy: [...waiting.blockedBy, from] }, state.holders.get(to));
}

function unlink(state: TaskState, item: WorkItem): void {
  const without = (ids: readonly WorkItemId[]) => ids.filter((id) => id !== item.id);
  for (const id of new Set([...item.blocks, ...item.blockedBy])) {
    const other = found(state, id);
    const edges = { blocks: without(other.blocks), blockedBy: without(other.blockedBy) };
    putItem(state, { ...other, ...edges }, state.holders.get(id));
  }
}
