import * as z from "zod";
import { ProcessIdentity } from "../../platform/index.ts";
import { AcceptanceCheck, OwnerWords, PastOwner, type WorkItem, WorkItemStatus } from "../../protocol/index.ts";
import type { TaskChange } from "../team/tasks/task-list.ts";

/** Data of a task that their file has no field for, under one key of its free metadata. */
const Ours = z.object({
  generation: z.number().int().nonnegative(),
  needs: z.array(z.string()),
  acceptance: z.array(AcceptanceCheck),
  proof: z.enum(["claimed", "verified", "refuted"]).optional(),
  proofDetail: z.string().optional(),
  createdBy: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  holder: ProcessIdentity.optional(),
  said: OwnerWords.optional(),
  past: z.array(PastOwner).optional(),
  /** The values that we wrote last. If the file differs, another program has changed it. */
  status: z.string(),
  owner: z.string().optional(),
  /** The last change made from here. */
  last: z.object({
    what: z.enum(["created", "claimed", "released", "changed", "completed", "settled", "deleted"]),
    by: z.string(),
    at: z.string(),
    why: z.string().optional(),
    number: z.number(),
  }),
});
type Ours = z.infer<typeof Ours>;

const ids = z.array(z.coerce.number().int().positive()).catch([]).default([]);

/** `N.json` with the fields that are used. Unknown fields are kept. */
const TaskFile = z.looseObject({
  id: z.coerce.number().int().positive(),
  subject: z.string(),
  description: z.string().catch(""),
  activeForm: z.string().optional().catch(undefined),
  owner: z.string().optional().catch(undefined),
  status: WorkItemStatus,
  blocks: ids,
  blockedBy: ids,
  metadata: z.record(z.string(), z.unknown()).catch({}).default({}),
});

export interface ReadTask {
  readonly item: WorkItem;
  readonly holder?: ProcessIdentity | undefined;
  readonly last?: Ours["last"] | undefined;
  /** The whole file, for writing it again. */
  readonly raw: Readonly<Record<string, unknown>>;
}

const ourKey = "troupe";

/** Returns undefined if it is not a task. */
export function parseTask(value: unknown): ReadTask | undefined {
  const parsed = TaskFile.safeParse(value);
  if (!parsed.success) return undefined;
  const { id, subject, description, activeForm, status, blocks, blockedBy } = parsed.data;
  const { [ourKey]: kept, ...metadata } = parsed.data.metadata;
  const ours = Ours.safeParse(kept).data;
  const owner = parsed.data.owner === "" ? undefined : parsed.data.owner;
  const isChanged = ours !== undefined && (ours.status !== status || ours.owner !== owner);
  const item: WorkItem = {
    id,
    subject,
    description,
    ...(activeForm !== undefined && { activeForm }),
    status,
    ...(owner !== undefined && { owner }),
    // A takeover by another program ends the claim of the previous owner.
    generation: (ours?.generation ?? (owner === undefined ? 0 : 1)) + (isChanged ? 1 : 0),
    blocks,
    blockedBy,
    needs: ours?.needs ?? [],
    acceptance: ours?.acceptance ?? [],
    ...(!isChanged && ours?.proof !== undefined && { proof: ours.proof }),
    ...(!isChanged && ours?.proofDetail !== undefined && { proofDetail: ours.proofDetail }),
    ...(status === "completed" && ours?.proof === undefined && { proof: "claimed" as const, proofDetail: "" }),
    metadata,
    ...(!isChanged && ours?.said && { said: ours.said }),
    ...(ours?.past && { past: ours.past }),
    createdBy: ours?.createdBy ?? "team-lead",
    createdAt: ours?.createdAt ?? unknownTime,
    updatedAt: ours?.updatedAt ?? unknownTime,
  };
  const { holder, last } = ours ?? {};
  return { item, raw: value as ReadTask["raw"], ...(last && { last }), ...(!isChanged && holder && { holder }) };
}

/** Their files have no time. */
const unknownTime = new Date(0).toISOString();

export function formatTask(
  item: WorkItem,
  {
    holder,
    before,
    change,
  }: { holder?: ProcessIdentity | undefined; before?: ReadTask | undefined; change: TaskChange },
): Record<string, unknown> {
  const { id, subject, description, activeForm, owner, status, blocks, blockedBy, metadata } = item;
  const { generation, needs, acceptance, proof, proofDetail, createdBy, createdAt, updatedAt } = item;
  const { said, past } = item;
  const { what, by, at, why } = change;
  const ours: Ours = {
    generation,
    needs,
    acceptance,
    ...(proof !== undefined && { proof }),
    ...(proofDetail !== undefined && { proofDetail }),
    createdBy,
    createdAt,
    updatedAt,
    ...(holder && { holder }),
    ...(said && { said }),
    ...(past && { past }),
    status,
    ...(owner !== undefined && { owner }),
    last: {
      ...(change.item.id === id ? { what, by, at, ...(why !== undefined && { why }) } : { what: "changed", by, at }),
      number: (before?.last?.number ?? 0) + 1,
    },
  };
  const { owner: _, activeForm: __, ...rest } = before?.raw ?? {};
  return {
    ...rest,
    id: String(id),
    subject,
    description,
    ...(activeForm !== undefined && { activeForm }),
    ...(owner !== undefined && { owner }),
    status,
    blocks: blocks.map(String),
    blockedBy: blockedBy.map(String),
    metadata: { ...metadata, [ourKey]: ours },
  };
}
