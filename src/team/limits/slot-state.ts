import type { ProcessIdentity } from "../../platform/index.ts";
import { type AgentLimits, defaultLimits, type SlotEntry, type Step } from "./slot-entry.ts";

/** The state that the entries of a slot ledger lead to. */
export interface SlotState {
  limits: AgentLimits;
  readonly slots: Map<string, Slot>;
  readonly away: Map<string, Pick<Slot, "who" | "by"> & { readonly member: string }>;
  /** The number of agents that each session has started, and the sum. */
  readonly startedCounts: Map<string, number>;
  total: number;
  returning: string[];
  queue: string[];
  /** The times of agent starts within the last minute. */
  readonly starts: number[];
  now: number;
}

export interface Slot {
  state: "waiting" | "held" | "lent" | "returning";
  readonly who: string | undefined;
  readonly by: ProcessIdentity | undefined;
  readonly member?: string | undefined;
  /** It counts as an agent that its session started. */
  readonly isCounted?: boolean;
}

export const newSlotState = (): SlotState => ({
  limits: defaultLimits,
  slots: new Map(),
  away: new Map(),
  startedCounts: new Map(),
  total: 0,
  returning: [],
  queue: [],
  starts: [],
  now: Number.NEGATIVE_INFINITY,
});

export function runningIn({ away, slots }: SlotState): number {
  const waiting = new Set([...away.values()].map(({ member }) => member));
  let sum = 0;
  for (const { state, member } of slots.values())
    if (state === "held" && !(member !== undefined && waiting.has(member))) sum += 1;
  return sum;
}

/** The time from which the rate limit permits a start. Undefined if it permits one now. Forgets old starts. */
export function nextStartAt({ starts, now, limits }: SlotState): number | undefined {
  while (starts[0] !== undefined && starts[0] <= now - minuteMs) starts.shift();
  return starts.length < limits.maxSpawnsPerMinute ? undefined : (starts[0] ?? now) + minuteMs;
}

const minuteMs = 60_000;

export function countStarted(state: SlotState, session: string, agents: number): void {
  state.startedCounts.set(session, (state.startedCounts.get(session) ?? 0) + agents);
  state.total += agents;
}

/** Returns the entry that leads to this state. */
export function snapshotOf(state: SlotState): Extract<SlotEntry, { do: "again" }> {
  const { slots, away, queue, returning, limits, now } = state;
  const agents = new Map(state.startedCounts);
  const steps: Step[] = [];
  for (const [id, { state: is, who, by, member }] of slots) {
    if (is !== "waiting") steps.push({ do: "take", id, who, by, ...(member !== undefined && { member }) });
    if (is === "lent" || is === "returning") steps.push({ do: "lend", id, at: now });
  }
  for (const [id, each] of away) steps.push({ do: "away", id, ...each, at: now });
  for (const id of returning) steps.push({ do: "back", id, at: now });
  for (const id of queue) {
    const { who = "", by, isCounted } = slots.get(id) ?? {};
    if (isCounted) agents.set(who, (agents.get(who) ?? 0) - 1);
    steps.push({ do: "ask", id, who, by, ...(!isCounted && { isBack: true }), at: now });
  }
  const counts = [...agents].map(([who, sum]) => ({ do: "had" as const, who, agents: sum }));
  return { do: "again", starts: [...state.starts], steps: [{ do: "limit", to: limits }, ...counts, ...steps] };
}
