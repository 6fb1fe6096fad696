import type { Clock } from "../platform/index.ts";
import type { LimitSettings, StoredEvent } from "../protocol/index.ts";

/** How many agents there may be. What they may spend together is the ledger's to say. */
export interface SpawnLimits {
  /**
   * A place for one more agent. What can never be is refused at once; what only has to wait (for a place, for the next
   * minute) waits its turn, first come first served, and rejects with the signal's reason if that aborts.
   */
  admit(spawn: SpawnRequest): Promise<SpawnAnswer>;
  /** A place for one that is at work already, on its own: it is counted, waits for nothing, and those who come next may have to. */
  occupy(): AgentPlace;
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

export const defaultLimits = {
  maxConcurrentAgents: 16,
  maxDepth: 1,
  maxAgents: 500,
  maxSpawnsPerMinute: 300,
} as const satisfies LimitSettings;

const minuteMs = 60_000;

interface Waiter {
  readonly start: () => void;
}

export function createSpawnLimits(settings: LimitSettings, { clock }: { readonly clock: Clock }): SpawnLimits {
  const limits = { ...defaultLimits, ...definedOf(settings) };
  let running = 0;
  let total = 0;
  const returning: Waiter[] = [];
  const queue: Waiter[] = [];
  /** When agents were started, within the last minute. */
  const starts: number[] = [];
  let sleeping: AbortController | undefined;

  const freeInMs = () => {
    const now = clock.monotonic();
    while (starts[0] !== undefined && starts[0] <= now - minuteMs) starts.shift();
    return starts.length < limits.maxSpawnsPerMinute ? 0 : (starts[0] ?? now) + minuteMs - now;
  };

  const serve = () => {
    while (running < limits.maxConcurrentAgents) {
      const back = returning.shift();
      if (back) {
        back.start();
        continue;
      }
      if (queue.length === 0) break;
      const ms = freeInMs();
      if (ms > 0) return wakeIn(ms);
      starts.push(clock.monotonic());
      queue.shift()?.start();
    }
  };

  /** One sleeper for the whole queue; it ends when nobody waits any more. */
  const wakeIn = (ms: number) => {
    if (sleeping) return;
    const abort = new AbortController();
    sleeping = abort;
    clock.sleep(ms, abort.signal).then(
      () => {
        sleeping = undefined;
        serve();
      },
      () => undefined, // only `rest` ends it
    );
  };

  const rest = () => {
    sleeping?.abort();
    sleeping = undefined;
  };

  /** Takes a place now or when there is one. */
  const wait = (line: Waiter[], signal: AbortSignal | undefined, onWait?: () => void) =>
    new Promise<void>((resolve, reject) => {
      let started = false;
      const leave = () => {
        line.splice(line.indexOf(waiter), 1);
        if (queue.length === 0) rest();
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        start() {
          started = true;
          running += 1;
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      line.push(waiter);
      serve();
      if (started) return;
      onWait?.();
      signal?.addEventListener("abort", leave, { once: true });
    });

  const placeOf = (): AgentPlace => {
    let state: "held" | "lent" | "released" = "held";
    const giveUp = () => {
      running -= 1;
      serve();
    };
    return {
      release() {
        const held = state === "held";
        state = "released";
        if (held) giveUp();
      },
      lend() {
        if (state !== "held") throw new Error(`a place that is ${state} cannot be lent`);
        state = "lent";
        giveUp();
        return async (signal) => {
          if (state !== "lent") return;
          signal?.throwIfAborted();
          await wait(returning, signal);
          // Released meanwhile: the agent was ended while it waited.
          if ((state as string) === "released") giveUp();
          else state = "held";
        };
      },
    };
  };

  return {
    get running() {
      return running;
    },
    get queued() {
      return queue.length;
    },
    get total() {
      return total;
    },
    occupy() {
      running += 1;
      return placeOf();
    },
    recall(event) {
      if (event.type === "agent.spawned" && event.parent !== undefined) total += 1;
    },
    async admit({ parentDepth, isBack = false, signal, onQueued }) {
      signal?.throwIfAborted();
      const refusal = isBack ? undefined : whyNot({ parentDepth, total }, limits);
      if (refusal !== undefined) return { ok: false, message: refusal };
      const more = isBack ? 0 : 1;
      total += more;
      try {
        await wait(queue, signal, () => onQueued?.(queue.length - 1));
      } catch (error) {
        total -= more;
        throw error;
      }
      return { ok: true, depth: parentDepth + 1, place: placeOf() };
    },
  };
}

function whyNot(
  { parentDepth, total }: { parentDepth: number; total: number },
  { maxDepth, maxAgents }: { maxDepth: number; maxAgents: number },
): string | undefined {
  if (parentDepth >= maxDepth) {
    return maxDepth === 0
      ? "No agent was started: agents are switched off here (limits.maxDepth is 0). Do the work yourself."
      : `No agent was started: an agent at depth ${parentDepth}, such as you, may not start others here (limits.maxDepth is ${maxDepth}). Do the work yourself, or say in your result what is left to do.`;
  }
  if (total >= maxAgents) {
    return `No agent was started: this session has had ${total} of the ${maxAgents} agents it may have (limits.maxAgents). Do the rest yourself, or finish with what you have.`;
  }
  return undefined;
}

/** A setting that says undefined does not unset a default. */
const definedOf = (settings: LimitSettings) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [K in keyof typeof defaultLimits]?: number;
  };
