import * as z from "zod";
import { ProcessIdentity } from "../../../platform/index.ts";
import { AcceptanceCheck, OwnerWords, WorkItemId, WorkItemStatus } from "../../../protocol/index.ts";

const metadata = z.record(z.string(), z.unknown());
const written = { by: z.string(), at: z.string() };
/** The needed tools that the claimer has. Absent for a person. */
const claimer = { can: z.array(z.string()).optional(), holder: ProcessIdentity.optional() };

/** A stored request to change a task list. Its position decides whether it is valid. */
export const TaskEntry = z.discriminatedUnion("do", [
  z.object({
    do: z.literal("create"),
    ...written,
    subject: z.string(),
    description: z.string(),
    activeForm: z.string().optional(),
    owner: z.string().optional(),
    blocks: z.array(WorkItemId),
    blockedBy: z.array(WorkItemId),
    needs: z.array(z.string()),
    acceptance: z.array(AcceptanceCheck),
    metadata,
  }),
  z.object({
    do: z.literal("change"),
    ...written,
    ...claimer,
    id: WorkItemId,
    generation: z.number().int().nonnegative().optional(),
    patch: z.object({
      subject: z.string().optional(),
      description: z.string().optional(),
      activeForm: z.string().optional(),
      status: WorkItemStatus.optional(),
      owner: z.string().nullable().optional(),
      addBlocks: z.array(WorkItemId).optional(),
      addBlockedBy: z.array(WorkItemId).optional(),
      acceptance: z.array(AcceptanceCheck).optional(),
      metadata: metadata.optional(),
      said: OwnerWords.optional(),
    }),
    /**
     * Also the lead and the user cannot complete a blocked task. Entries of earlier versions lack it and keep their
     * effect.
     */
    strict: z.literal(true).optional(),
  }),
  z.object({ do: z.literal("claim"), ...written, ...claimer, id: WorkItemId }),
  z.object({
    do: z.literal("release"),
    ...written,
    id: WorkItemId,
    generation: z.number().int().nonnegative().optional(),
    /** The required owner, given when the task of another member is released. */
    of: z.string().optional(),
    why: z.string().optional(),
  }),
  z.object({
    do: z.literal("settle"),
    ...written,
    id: WorkItemId,
    generation: z.number().int().nonnegative(),
    proof: z.enum(["claimed", "verified", "refuted"]),
    detail: z.string(),
  }),
]);
export type TaskEntry = z.infer<typeof TaskEntry>;
export type TaskEntryOf<D extends TaskEntry["do"]> = Extract<TaskEntry, { do: D }>;
