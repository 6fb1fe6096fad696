import type { Clock } from "../../platform/index.ts";
import { type LimitSettings, type StoredEvent, TroupeError } from "../../protocol/index.ts";
import { createSlotLedger } from "./slot-ledger.ts";
import { type AgentLimits, defaultLimits, type SlotEntry } from "./slot-entry.ts";
import { createSlotClient, type SlotLog } from "./slot-client.ts";
import { createSlotTimer } from "./slot-timer.ts";

/** Limits the number of agents. The ledger limits what they spend. */
export interface AgentSlots {
  /**
   * Acquires a slot for one more agent. Refuses at once if it can never start. Otherwise waits in order for a slot or
   * the next minute. Rejects with the signal's reason if it aborts.
   */
  acquire(spawn: SlotRequest): Promise<SlotResult>;
  /** Acquires a slot at once for an agent that already runs. It counts, and later agents may have to wait. */
  acquireSlotNow(member?: string): AgentSlot;
  /**
   * Lends the slot of the session's own agent while it waits for a subagent, if it is a member of a team. The result
   * reclaims it at once, even beyond the limit.
   */
  lendOwnSlot(): () => void;
  /** Counts an agent that a previous run of the session started. Ignores other events. */
  countEarlier(event: StoredEvent): void;
  readonly running: number;
  readonly queued: number;
  /** Agents started in the whole session or waiting to start. */
  readonly total: number;
}

export interface SlotRequest {
  /** The depth of the caller: the lead is 0, its agents are 1. */
  readonly parentDepth: number;
  /** The agent existed before and is resumed. It needs a slot but is not counted again. */
  readonly isReturning?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once if it has to wait. */
  onQueued?(ahead: number): void;
}

export type SlotResult =
  | { readonly ok: true; readonly depth: number; readonly slot: AgentSlot }
  /** For the model that asked. */
  | { readonly ok: false; readonly message: string };

/** The slot of one running agent. */
export interface AgentSlot {
  /** The agent has ended. A second call does nothing. */
  release(): void;
  /**
   * Lends the slot while the agent only waits for its own subagent. Without this, waiting agents could hold all slots.
   * The result reclaims a slot before any new agent gets one.
   */
  lend(): (signal?: AbortSignal) => Promise<void>;
}

/** The slots of one session, not shared with other processes. */
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

/** Like `acquire`, but a refusal is a TroupeError. */
export async function requireSlot(slots: AgentSlots, request: SlotRequest): Promise<AgentSlot> {
  const admitted = await slots.acquire(request);
  if (!admitted.ok) throw new TroupeError("agent", admitted.message);
  return admitted.slot;
}

/** An undefined setting does not unset a default. */
export function resolveAgentLimits(settings: LimitSettings): AgentLimits {
  const { maxConcurrentAgents, maxDepth, maxAgents, maxSpawnsPerMinute } = defaultLimits;
  return {
    maxConcurrentAgents: settings.maxConcurrentAgents ?? maxConcurrentAgents,
    maxDepth: settings.maxDepth ?? maxDepth,
    maxAgents: settings.maxAgents ?? maxAgents,
    maxSpawnsPerMinute: settings.maxSpawnsPerMinute ?? maxSpawnsPerMinute,
  };
}
