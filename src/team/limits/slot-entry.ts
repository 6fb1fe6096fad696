import * as z from "zod";
import { ProcessIdentity } from "../../platform/index.ts";
import type { LimitSettings } from "../../protocol/index.ts";

export const defaultLimits = {
  maxConcurrentAgents: 16,
  maxDepth: 1,
  maxAgents: 500,
  maxSpawnsPerMinute: 300,
} as const satisfies LimitSettings;

export type AgentLimits = { readonly [K in keyof typeof defaultLimits]: number };

const count = z.number().int().nonnegative();
/** The time by the writer's clock. */
const at = z.number();
/** Omitted if only this process uses the ledger. */
const by = ProcessIdentity.optional();
/** The session that holds it. */
const who = z.string().optional();

const Step = z.discriminatedUnion("do", [
  z.object({
    do: z.literal("limit"),
    to: z.object({ maxConcurrentAgents: count, maxDepth: count, maxAgents: count, maxSpawnsPerMinute: count }),
  }),
  /** `isBack`: it was counted before. */
  z.object({ do: z.literal("ask"), id: z.string(), who: z.string(), by, isBack: z.literal(true).optional(), at }),
  /** Acquires a slot without waiting, for a member if given. */
  z.object({ do: z.literal("take"), id: z.string(), member: z.string().optional(), who, by }),
  z.object({ do: z.literal("lend"), id: z.string(), at }),
  z.object({ do: z.literal("back"), id: z.string(), at }),
  /** The member waits for a subagent until `leave` with this id. Until then its slot does not count. */
  z.object({ do: z.literal("away"), id: z.string(), member: z.string(), who, by, at }),
  z.object({ do: z.literal("leave"), id: z.string(), at }),
  /** Agents that a session started without an entry here. */
  z.object({ do: z.literal("had"), who: z.string(), agents: count }),
  z.object({ do: z.literal("look"), at }),
]);
export type Step = z.infer<typeof Step>;

/** A change to the slots. A slot is identified by its id. */
export const SlotEntry = z.discriminatedUnion("do", [
  Step,
  /** The file was lost. Replaces all earlier entries by the known state. */
  z.object({ do: z.literal("again"), starts: z.array(z.number()), steps: z.array(Step) }),
]);
export type SlotEntry = z.infer<typeof SlotEntry>;
