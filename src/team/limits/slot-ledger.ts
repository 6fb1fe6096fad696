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
type Step = z.infer<typeof Step>;

/** A change to the slots. A slot is identified by its id. */
export const SlotEntry = z.discriminatedUnion("do", [
  Step,
  /** The file was lost. Replaces all earlier entries by the known state. */
  z.object({ do: z.literal("again"), starts: z.array(z.number()), steps: z.array(Step) }),
]);
export type SlotEntry = z.infer<typeof SlotEntry>;

/** The result of an `ask` or a `back`. */
export type SlotAnswer = "started" | "refused";

/**
 * The agents that run and wait, and the number started so far. The state depends only on the applied entries and their
 * times. So all processes that apply the same entries in the same order get the same answers.
 */
export interface SlotLedger {
  apply(entry: SlotEntry): void;
  readonly limits: AgentLimits;
  readonly running: number;
  readonly queued: number;
  readonly total: number;
  /** The number of agents that wait before this one. */
  aheadOf(id: string): number;
  /** The number of agents this session has started. */
  startedBy(who: string): number;
  /** When the next agent can start, if only the rate limit delays it. A `look` entry is needed then. */
  dueAt(): number | undefined;
  /** Slots that are held or waited for. */
  held(): readonly HeldSlot[];
  /** The entry that reproduces this ledger. */
  snapshot(): Extract<SlotEntry, { do: "again" }>;
}

export interface HeldSlot {
  readonly id: string;
  /** The session it belongs to. */
  readonly who: string | undefined;
  readonly by: ProcessIdentity | undefined;
  /** The member that waits for a subagent, if the entry is `away`. */
  readonly away?: string | undefined;
}

interface Slot {
  state: "waiting" | "held" | "lent" | "returning";
  readonly who: string | undefined;
  readonly by: ProcessIdentity | undefined;
  readonly member?: string | undefined;
  /** It counts as an agent that its session started. */
  readonly isCounted?: boolean;
}

const minuteMs = 60_000;

/** Calls `answer` for every slot, not only for requests of this process. */
export function createSlotLedger(answer: (id: string, outcome: SlotAnswer) => void): SlotLedger {
  let limits: AgentLimits = defaultLimits;
  const slots = new Map<string, Slot>();
  const away = new Map<string, Pick<Slot, "who" | "by"> & { readonly member: string }>();
  const startedCounts = new Map<string, number>();
  let returning: string[] = [];
  let queue: string[] = [];
  /** The times of agent starts within the last minute. */
  const starts: number[] = [];
  let total = 0;
  let now = Number.NEGATIVE_INFINITY;

  const countStarted = (session: string, agents: number) => {
    startedCounts.set(session, (startedCounts.get(session) ?? 0) + agents);
    total += agents;
  };

  const running = () => {
    const waiting = new Set([...away.values()].map(({ member }) => member));
    let sum = 0;
    for (const { state, member } of slots.values())
      if (state === "held" && !(member !== undefined && waiting.has(member))) sum += 1;
    return sum;
  };

  const nextStartAt = () => {
    while (starts[0] !== undefined && starts[0] <= now - minuteMs) starts.shift();
    return starts.length < limits.maxSpawnsPerMinute ? undefined : (starts[0] ?? now) + minuteMs;
  };

  const grantSlots = () => {
    while (running() < limits.maxConcurrentAgents) {
      const returned = returning.shift();
      const next = returned ?? (nextStartAt() === undefined ? queue.shift() : undefined);
      if (next === undefined) return;
      if (returned === undefined) starts.push(now);
      const slot = slots.get(next);
      if (slot) slot.state = "held";
      answer(next, "started");
    }
  };

  const leave = (id: string) => {
    away.delete(id);
    const slot = slots.get(id);
    if (!slot) return;
    slots.delete(id);
    if (slot.state === "waiting" && slot.isCounted && slot.who !== undefined) countStarted(slot.who, -1);
    queue = queue.filter((each) => each !== id);
    returning = returning.filter((each) => each !== id);
  };

  const change = (entry: Step) => {
    switch (entry.do) {
      case "limit":
        limits = entry.to;
        return;
      case "ask": {
        const { id, isBack } = entry;
        // A full disk can cut a write short behind a request, and the request is written again.
        if (slots.has(id)) return;
        if (!isBack && total >= limits.maxAgents) return answer(id, "refused");
        if (!isBack) countStarted(entry.who, 1);
        slots.set(id, { state: "waiting", who: entry.who, by: entry.by, isCounted: !isBack });
        queue.push(id);
        return;
      }
      case "take":
        slots.set(entry.id, { state: "held", who: entry.who, by: entry.by, member: entry.member });
        return;
      case "lend": {
        const slot = slots.get(entry.id);
        if (slot?.state === "held") slot.state = "lent";
        return;
      }
      case "back": {
        const slot = slots.get(entry.id);
        if (slot?.state !== "lent") return;
        slot.state = "returning";
        returning.push(entry.id);
        return;
      }
      case "away":
        away.set(entry.id, { member: entry.member, who: entry.who, by: entry.by });
        return;
      case "leave":
        return leave(entry.id);
      case "had":
        return countStarted(entry.who, entry.agents);
      case "look":
        return;
    }
  };

  const apply = (entry: Step) => {
    // A clock may be set back, but time here never goes back.
    if ("at" in entry) now = Math.max(now, entry.at);
    change(entry);
    grantSlots();
  };

  const reset = (since: readonly number[]) => {
    for (const each of [slots, away, startedCounts]) each.clear();
    [queue, returning, total] = [[], [], 0];
    starts.splice(0, starts.length, ...since);
  };

  const snapshot = () => {
    const agents = new Map(startedCounts);
    const steps: Step[] = [];
    const slotFields = (id: string) => {
      const { who: session, by: holder, member } = slots.get(id) ?? {};
      return { id, who: session, by: holder, ...(member !== undefined && { member }) };
    };
    for (const [id, { state }] of slots) {
      if (state !== "waiting") steps.push({ do: "take", ...slotFields(id) });
      if (state === "lent" || state === "returning") steps.push({ do: "lend", id, at: now });
    }
    for (const [id, each] of away) steps.push({ do: "away", id, ...each, at: now });
    for (const id of returning) steps.push({ do: "back", id, at: now });
    for (const id of queue) {
      const { who: session = "", by: holder, isCounted } = slots.get(id) ?? {};
      if (isCounted) agents.set(session, (agents.get(session) ?? 0) - 1);
      steps.push({ do: "ask", id, who: session, by: holder, ...(!isCounted && { isBack: true }), at: now });
    }
    const counts = [...agents].map(([session, sum]) => ({ do: "had" as const, who: session, agents: sum }));
    return {
      do: "again" as const,
      starts: [...starts],
      steps: [{ do: "limit" as const, to: limits }, ...counts, ...steps],
    };
  };

  return {
    apply(entry) {
      if (entry.do !== "again") return apply(entry);
      reset(entry.starts);
      for (const step of entry.steps) apply(step);
      // A process may not have read the answer before the file was lost.
      for (const [id, { state }] of slots) if (state === "held") answer(id, "started");
    },
    snapshot,
    get limits() {
      return limits;
    },
    get running() {
      return running();
    },
    get queued() {
      return queue.length;
    },
    get total() {
      return total;
    },
    aheadOf: (id) => queue.indexOf(id),
    startedBy: (session) => startedCounts.get(session) ?? 0,
    dueAt: () => (queue.length > 0 && running() < limits.maxConcurrentAgents ? nextStartAt() : undefined),
    held: () => [
      ...[...slots].map(([id, slot]) => ({ id, who: slot.who, by: slot.by })),
      ...[...away].map(([id, { member, ...slot }]) => ({ id, ...slot, away: member })),
    ],
  };
}
