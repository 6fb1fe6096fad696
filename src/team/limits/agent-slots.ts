import type { Clock } from "../../platform/index.ts";
import type { LimitSettings, StoredEvent } from "../../protocol/index.ts";
import { createSlotLedger, defaultLimits, type AgentLimits, type SlotEntry } from "./slot-ledger.ts";
import { createSlotClient, type SlotLog } from "./slot-client.ts";
import { createSlotTimer } from "./slot-timer.ts";

/** How many agents there may be. What they may spend together is the ledger's to say. */
export interface AgentSlots {
  /**
   * A place for one more agent. What can never be is refused at once; what only has to wait (for a place, for the next
   * minute) waits its turn, first come first served, and rejects with the signal's reason if that aborts.
   */
  acquire(spawn: SlotRequest): Promise<SlotResult>;
  /** A place for one that is at work already, on its own: it is counted, waits for nothing, and those who come next may have to. */
  acquireSlotNow(member?: string): AgentSlot;
  /**
   * The agent that the session is about waits for one of its own: if it is a member of a team, its place is for others
   * until the result is called. Then it has its place again at once, whoever has one meanwhile.
   */
  lendOwnSlot(): () => void;
  /** Counts an agent that an earlier life of the session has started; other events are passed over. */
  countEarlier(event: StoredEvent): void;
  readonly running: number;
  readonly queued: number;
  /** Started in the whole session, and waiting to be. */
  readonly total: number;
}

export interface SlotRequest {
  /** How deep the one who asks is: the lead 0, its agents 1. */
  readonly parentDepth: number;
  /** It was there before and goes on: it needs a place, and is not one more. */
  readonly isReturning?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told once, if it has to wait. */
  onQueued?(ahead: number): void;
}

export type SlotResult =
  | { readonly ok: true; readonly depth: number; readonly slot: AgentSlot }
  /** For the model that asked. */
  | { readonly ok: false; readonly message: string };

/** One agent's place among those at work. */
export interface AgentSlot {
  /** The agent has ended. A second time does nothing. */
  release(): void;
  /**
   * Gives the place away while the agent does nothing but wait for an agent of its own, which may need it: without this,
   * agents that wait for agents could fill every place. The result takes a place again, before any new agent gets one.
   */
  lend(): (signal?: AbortSignal) => Promise<void>;
}

/** Those of one session, which nobody else knows of. */
export function createAgentSlots(settings: LimitSettings, { clock }: { readonly clock: Clock }): AgentSlots {
  const answers: SlotLog["answers"] = new Map();
  const ledger = createSlotLedger((id, answer) => answers.get(id)?.(answer));
  const timer = createSlotTimer(() => log, { clock });
  let ids = 0;
  const submit = (entry: SlotEntry) => {
    ledger.apply(entry);
    timer.schedule();
  };
  const log: SlotLog = {
    ledger,
    answers,
    ready: () => undefined,
    submit,
    ask: async (entry) => submit(entry),
    newId: () => String(++ids),
    now: clock.monotonic,
  };
  submit({ do: "limit", to: resolveAgentLimits(settings) });
  return createSlotClient(log, { sessionId: "" });
}

/** A setting that says undefined does not unset a default. */
export function resolveAgentLimits(settings: LimitSettings): AgentLimits {
  const { maxConcurrentAgents, maxDepth, maxAgents, maxSpawnsPerMinute } = defaultLimits;
  return {
    maxConcurrentAgents: settings.maxConcurrentAgents ?? maxConcurrentAgents,
    maxDepth: settings.maxDepth ?? maxDepth,
    maxAgents: settings.maxAgents ?? maxAgents,
    maxSpawnsPerMinute: settings.maxSpawnsPerMinute ?? maxSpawnsPerMinute,
  };
}
