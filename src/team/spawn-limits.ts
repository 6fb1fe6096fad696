import type { Clock } from "../platform/index.ts";
import type { LimitSettings, StoredEvent } from "../protocol/index.ts";
import { createSpawnBook, defaultLimits, type SpawnCaps, type SpawnEntry } from "./spawn-book.ts";
import { createSpawnDesk, type SpawnLog } from "./spawn-desk.ts";
import { createSpawnTick } from "./spawn-tick.ts";

/** How many agents there may be. What they may spend together is the ledger's to say. */
export interface SpawnLimits {
  /**
   * A place for one more agent. What can never be is refused at once; what only has to wait (for a place, for the next
   * minute) waits its turn, first come first served, and rejects with the signal's reason if that aborts.
   */
  admit(spawn: SpawnRequest): Promise<SpawnAnswer>;
  /** A place for one that is at work already, on its own: it is counted, waits for nothing, and those who come next may have to. */
  occupy(member?: string): AgentPlace;
  /**
   * The agent that the session is about waits for one of its own: if it is a member of a team, its place is for others
   * until the result is called. Then it has its place again at once, whoever has one meanwhile.
   */
  lendOwn(): () => void;
  /** Counts an agent that an earlier life of the session has started; other events are passed over. */
  recall(event: StoredEvent): void;
  readonly running: number;
  readonly queued: number;
  /** Started in the whole session, and waiting to be. */
  readonly total: number;
}

export interface SpawnRequest {
  /** How deep the one who asks is: the lead 0, its agents 1. */
  readonly parentDepth: number;
  /** It was there before and goes on: it needs a place, and is not one more. */
  readonly isBack?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told once, if it has to wait. */
  onQueued?(ahead: number): void;
}

export type SpawnAnswer =
  | { readonly ok: true; readonly depth: number; readonly place: AgentPlace }
  /** For the model that asked. */
  | { readonly ok: false; readonly message: string };

/** One agent's place among those at work. */
export interface AgentPlace {
  /** The agent has ended. A second time does nothing. */
  release(): void;
  /**
   * Gives the place away while the agent does nothing but wait for an agent of its own, which may need it: without this,
   * agents that wait for agents could fill every place. The result takes a place again, before any new agent gets one.
   */
  lend(): (signal?: AbortSignal) => Promise<void>;
}

/** Those of one session, which nobody else knows of. */
export function createSpawnLimits(settings: LimitSettings, { clock }: { readonly clock: Clock }): SpawnLimits {
  const answers: SpawnLog["answers"] = new Map();
  const book = createSpawnBook((id, came) => answers.get(id)?.(came));
  const tick = createSpawnTick(() => log, { clock });
  let ids = 0;
  const put = (entry: SpawnEntry) => {
    book.apply(entry);
    tick.look();
  };
  const log: SpawnLog = {
    book,
    answers,
    ready: () => undefined,
    put,
    ask: async (entry) => put(entry),
    newId: () => String(++ids),
    now: clock.monotonic,
  };
  put({ do: "limit", to: capsOf(settings) });
  return createSpawnDesk(log, { who: "" });
}

/** A setting that says undefined does not unset a default. */
export function capsOf(settings: LimitSettings): SpawnCaps {
  const { maxConcurrentAgents, maxDepth, maxAgents, maxSpawnsPerMinute } = defaultLimits;
  return {
    maxConcurrentAgents: settings.maxConcurrentAgents ?? maxConcurrentAgents,
    maxDepth: settings.maxDepth ?? maxDepth,
    maxAgents: settings.maxAgents ?? maxAgents,
    maxSpawnsPerMinute: settings.maxSpawnsPerMinute ?? maxSpawnsPerMinute,
  };
}
