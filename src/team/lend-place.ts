import type { AgentPlace } from "./spawn-limits.ts";

/** One agent's place, lent while any of its calls waits for an agent. */
export interface Lending {
  /** The result says that this call waits no longer; the last one that does takes a place again first. */
  lend(): Promise<(signal: AbortSignal) => Promise<void>>;
}

export function createLending(place: AgentPlace): Lending {
  let waiting = 0;
  let takeBack: ReturnType<AgentPlace["lend"]> | undefined;
  let taking: Promise<void> = Promise.resolve();
  return {
    async lend() {
      await taking;
      waiting += 1;
      takeBack ??= place.lend();
      return async (signal) => {
        waiting -= 1;
        if (waiting > 0) return;
        const take = takeBack;
        takeBack = undefined;
        taking = retake(take, signal);
        await taking;
      };
    },
  };
}

/** Whoever was stopped while it waited needs no place any more. */
async function retake(take: ReturnType<AgentPlace["lend"]> | undefined, signal: AbortSignal): Promise<void> {
  try {
    await take?.(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
