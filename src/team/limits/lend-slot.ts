import type { AgentSlot } from "./agent-slots.ts";

/** One agent's slot, lent while any of its calls waits for a subagent. */
export interface SlotLending {
  /** The result ends the wait of this call. The last waiting call reclaims a slot first. */
  lend(): Promise<(signal: AbortSignal) => Promise<void>>;
}

export function createSlotLending(slot: AgentSlot): SlotLending {
  let waiting = 0;
  let reclaim: ReturnType<AgentSlot["lend"]> | undefined;
  let reclaiming: Promise<void> = Promise.resolve();
  return {
    async lend() {
      await reclaiming;
      waiting += 1;
      reclaim ??= slot.lend();
      return async (signal) => {
        waiting -= 1;
        if (waiting > 0) return;
        const pendingReclaim = reclaim;
        reclaim = undefined;
        reclaiming = reclaimUnlessAborted(pendingReclaim, signal);
        await reclaiming;
      };
    },
  };
}

/** An agent that was stopped while it waited needs no slot. */
async function reclaimUnlessAborted(
  pendingReclaim: ReturnType<AgentSlot["lend"]> | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    await pendingReclaim?.(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
