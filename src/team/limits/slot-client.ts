import { rejectOnAbort } from "../../platform/index.ts";
import type { SlotAnswer, SlotLedger } from "./slot-ledger.ts";
import type { AgentLimits, SlotEntry } from "./slot-entry.ts";
import type { AgentSlot, AgentSlots } from "./agent-slots.ts";

/** The log that puts all entries into one order for all processes. */
export interface SlotLog {
  readonly ledger: SlotLedger;
  /** Waiting requests of this process. */
  readonly answers: Map<string, (answer: SlotAnswer) => void>;
  /** Applies the entries of other processes to the ledger. */
  ready(): void;
  /** Writes an entry, now or when it becomes possible. */
  submit(entry: SlotEntry): void;
  /** Resolves when the entry is written. Rejects if it cannot be written. */
  ask(entry: SlotRequestEntry, signal: AbortSignal | undefined): Promise<void>;
  /** The process whose end releases its slots. Undefined if there is only one process. */
  by?(): Extract<SlotEntry, { do: "take" }>["by"];
  /** Called when an open session has events of a previous run. */
  onReplay?(): void;
  newId(): string;
  now(): number;
}

export type SlotRequestEntry = Extract<SlotEntry, { do: "ask" | "back" }>;

export interface SlotClientOptions {
  /** The session that agents are counted for. */
  readonly sessionId: string;
  /** The member that runs this session: `name@team`. */
  readonly member?: string | undefined;
}

/** The limits as seen by one session. */
export function createSlotClient(log: SlotLog, { sessionId, member }: SlotClientOptions): AgentSlots {
  const { ledger, answers } = log;
  let replayedCount = 0;
  const ownerFields = () => {
    const by = log.by?.();
    return { who: sessionId, ...(by && { by }) };
  };

  /** Adds once the agents that the session's logs show but the ledger lacks. */
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
      return await rejectOnAbort(answered, signal);
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
        // The agent ended while it waited for its slot.
        answers.get(id)?.("started");
      },
      lend() {
        if (state !== "held") throw new Error(`cannot lend a slot that is ${state}`);
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

const depthLimitMessage = (depth: number, { maxDepth }: AgentLimits) =>
  maxDepth === 0
    ? "No agent was started: agents are disabled (limits.maxDepth is 0). Do the work yourself."
    : `No agent was started: you are at depth ${depth} and may not start agents (limits.maxDepth is ${maxDepth}). Do the work yourself, or say in your result what is left to do.`;

const agentLimitMessage = (total: number, { maxAgents }: AgentLimits) =>
  `No agent was started: this session has started ${total} of at most ${maxAgents} agents (limits.maxAgents). Do the rest yourself, or finish with what you have.`;
