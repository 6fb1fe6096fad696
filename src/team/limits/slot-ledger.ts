import type { ProcessIdentity } from "../../platform/index.ts";
import type { AgentLimits, SlotEntry, Step } from "./slot-entry.ts";
import { countStarted, newSlotState, nextStartAt, runningIn, snapshotOf } from "./slot-state.ts";

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

/** Calls `answer` for every slot, not only for requests of this process. */
export function createSlotLedger(answer: (id: string, outcome: SlotAnswer) => void): SlotLedger {
  const state = newSlotState();
  const { slots, away } = state;

  const grantSlots = () => {
    while (runningIn(state) < state.limits.maxConcurrentAgents) {
      const returned = state.returning.shift();
      const next = returned ?? (nextStartAt(state) === undefined ? state.queue.shift() : undefined);
      if (next === undefined) return;
      if (returned === undefined) state.starts.push(state.now);
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
    if (slot.state === "waiting" && slot.isCounted && slot.who !== undefined) countStarted(state, slot.who, -1);
    state.queue = state.queue.filter((each) => each !== id);
    state.returning = state.returning.filter((each) => each !== id);
  };

  const change = (entry: Step) => {
    switch (entry.do) {
      case "limit":
        state.limits = entry.to;
        return;
      case "ask": {
        const { id, isBack } = entry;
        // A full disk can cut a write short behind a request, and the request is written again.
        if (slots.has(id)) return;
        if (!isBack && state.total >= state.limits.maxAgents) return answer(id, "refused");
        if (!isBack) countStarted(state, entry.who, 1);
        slots.set(id, { state: "waiting", who: entry.who, by: entry.by, isCounted: !isBack });
        state.queue.push(id);
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
        state.returning.push(entry.id);
        return;
      }
      case "away":
        away.set(entry.id, { member: entry.member, who: entry.who, by: entry.by });
        return;
      case "leave":
        return leave(entry.id);
      case "had":
        return countStarted(state, entry.who, entry.agents);
      case "look":
        return;
    }
  };

  const apply = (entry: Step) => {
    // A clock may be set back, but time here never goes back.
    if ("at" in entry) state.now = Math.max(state.now, entry.at);
    change(entry);
    grantSlots();
  };

  const reset = (since: readonly number[]) => {
    for (const each of [slots, away, state.startedCounts]) each.clear();
    Object.assign(state, { queue: [], returning: [], total: 0 });
    state.starts.splice(0, state.starts.length, ...since);
  };

  return {
    apply(entry) {
      if (entry.do !== "again") return apply(entry);
      reset(entry.starts);
      for (const step of entry.steps) apply(step);
      // A process may not have read the answer before the file was lost.
      for (const [id, { state: is }] of slots) if (is === "held") answer(id, "started");
    },
    snapshot: () => snapshotOf(state),
    get limits() {
      return state.limits;
    },
    get running() {
      return runningIn(state);
    },
    get queued() {
      return state.queue.length;
    },
    get total() {
      return state.total;
    },
    aheadOf: (id) => state.queue.indexOf(id),
    startedBy: (session) => state.startedCounts.get(session) ?? 0,
    dueAt: () =>
      state.queue.length > 0 && runningIn(state) < state.limits.maxConcurrentAgents ? nextStartAt(state) : undefined,
    held: () => [
      ...[...slots].map(([id, slot]) => ({ id, who: slot.who, by: slot.by })),
      ...[...away].map(([id, { member, ...slot }]) => ({ id, ...slot, away: member })),
    ],
  };
}
