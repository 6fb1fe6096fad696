import type { SlotLedger, SlotAnswer, AgentLimits, SlotEntry } from "./slot-ledger.ts";
import type { AgentSlot, AgentSlots } from "./agent-slots.ts";

/** Where entries get their place in the one order that everybody goes by. */
export interface SlotLog {
  readonly ledger: SlotLedger;
  /** Who waits for an answer here. */
  readonly answers: Map<string, (answer: SlotAnswer) => void>;
  /** The book knows what others have done by now. */
  ready(): void;
  /** What cannot be put down now is put down later. */
  submit(entry: SlotEntry): void;
  /** Resolves when it is put down; rejects if it cannot be. */
  ask(entry: SlotRequestEntry, signal: AbortSignal | undefined): Promise<void>;
  /** The process that goes down with what it holds; undefined where it is the only one. */
  by?(): Extract<SlotEntry, { do: "take" }>["by"];
  /** The session is open, and has had an earlier life. */
  onReplay?(): void;
  newId(): string;
  now(): number;
}

export type SlotRequestEntry = Extract<SlotEntry, { do: "ask" | "back" }>;

export interface SlotClientOptions {
  /** The session that agents are counted for. */
  readonly sessionId: string;
  /** The member of a team that it is about: `name@team`. */
  readonly member?: string | undefined;
}

/** The limits as one session meets them. */
export function createSlotClient(log: SlotLog, { sessionId, member }: SlotClientOptions): AgentSlots {
  const { ledger, answers } = log;
  let replayedCount = 0;
  const ownerFields = () => {
    const by = log.by?.();
    return { who: sessionId, ...(by && { by }) };
  };

  /** What its logs say it has started, and was not put down, is put down once. */
  const syncStartedCount = () => {
    log.ready();
    const missing = replayedCount - ledger.startedBy(sessionId);
    if (replayedCount > 0 && missing > 0) log.submit({ do: "had", who: sessionId, agents: missing });
    replayedCount = 0;
  };

  const leave = (id: string) => log.submit({ do: "leave", id, at: log.now() });

  const wait = async (
    entry: SlotRequestEntry,
    signal: AbortSignal | undefined,
    onWait?: () => void,
  ): Promise<SlotAnswer> => {
    let isAnswered = false;
    const answered = new Promise<SlotAnswer>((resolve) =>
      answers.set(entry.id, (answer) => {
        isAnswered = true;
        answers.delete(entry.id);
        resolve(answer);
      }),
    );
    try {
      await log.ask(entry, signal);
      if (!isAnswered) onWait?.();
      return await raceAbort(signal, answered);
    } catch (error) {
      answers.delete(entry.id);
      leave(entry.id);
      throw error;
    }
  };

  const slotOf = (id: string): AgentSlot => {
    let state: "held" | "lent" | "released" = "held";
    return {
      release() {
        if (state === "released") return;
        state = "released";
        leave(id);
        // It was ended while it waited to go on.
        answers.get(id)?.("started");
      },
      lend() {
        if (state !== "held") throw new Error(`a place that is ${state} cannot be lent`);
        state = "lent";
        log.submit({ do: "lend", id, at: log.now() });
        return async (signal) => {
          if (state !== "lent") return;
          signal?.throwIfAborted();
          await wait({ do: "back", id, at: log.now() }, signal);
          if (state === "lent") state = "held";
        };
      },
    };
  };

  return {
    get running() {
      syncStartedCount();
      return ledger.running;
    },
    get queued() {
      syncStartedCount();
      return ledger.queued;
    },
    get total() {
      syncStartedCount();
      return ledger.total;
    },
    acquireSlotNow(of) {
      const id = log.newId();
      log.submit({ do: "take", id, ...(of !== undefined && { member: of }), ...ownerFields() });
      return slotOf(id);
    },
    lendOwnSlot() {
      if (member === undefined) return () => undefined;
      const id = log.newId();
      log.submit({ do: "away", id, member, ...ownerFields(), at: log.now() });
      return () => leave(id);
    },
    countEarlier(event) {
      log.onReplay?.();
      if (event.type === "member.joined" || (event.type === "agent.spawned" && event.parent !== undefined))
        replayedCount += 1;
    },
    async acquire({ parentDepth, isReturning: isBack = false, signal, onQueued }) {
      signal?.throwIfAborted();
      syncStartedCount();
      if (!isBack && parentDepth >= ledger.limits.maxDepth)
        return { ok: false, message: depthLimitMessage(parentDepth, ledger.limits) };
      const id = log.newId();
      const entry = {
        do: "ask" as const,
        id,
        ...ownerFields(),
        ...(isBack && { isBack: true as const }),
        at: log.now(),
      };
      const answer = await wait(entry, signal, () => onQueued?.(ledger.aheadOf(id)));
      if (answer === "refused") return { ok: false, message: agentLimitMessage(ledger.total, ledger.limits) };
      return { ok: true, depth: parentDepth + 1, slot: slotOf(id) };
    },
  };
}

async function raceAbort<T>(signal: AbortSignal | undefined, wait: Promise<T>): Promise<T> {
  if (!signal) return wait;
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

const depthLimitMessage = (depth: number, { maxDepth }: AgentLimits) =>
  maxDepth === 0
    ? "No agent was started: agents are switched off here (limits.maxDepth is 0). Do the work yourself."
    : `No agent was started: an agent at depth ${depth}, such as you, may not start others here (limits.maxDepth is ${maxDepth}). Do the work yourself, or say in your result what is left to do.`;

const agentLimitMessage = (total: number, { maxAgents }: AgentLimits) =>
  `No agent was started: this session has had ${total} of the ${maxAgents} agents it may have (limits.maxAgents). Do the rest yourself, or finish with what you have.`;
