import { jobWaitOf, type MemberStatus } from "../../protocol/index.ts";
import type { AgentSlot } from "../../team/index.ts";

/** The slots of teammates. A teammate holds a slot while it works, and none while it is idle or waits for an answer. */
export interface TeammateSlots {
  /** Reports that a teammate was started in this slot. */
  started(team: string, name: string, slot: AgentSlot): void;
  statusChanged(team: string, status: MemberStatus): void;
  close(): void;
}

/** `acquireSlot` returns a slot at once: a teammate that already works is counted, but never blocked. */
export function createTeammateSlots(acquireSlot: (member: string) => AgentSlot): TeammateSlots {
  const held = new Map<string, AgentSlot>();
  const idle = new Set<string>();
  const ensureSlot = (key: string) => {
    idle.delete(key);
    if (!held.has(key)) held.set(key, acquireSlot(key));
  };
  const release = (key: string) => {
    held.get(key)?.release();
    held.delete(key);
  };
  return {
    started(team, name, slot) {
      const key = keyOf(team, name);
      // It may already have become idle.
      if (!idle.has(key)) ensureSlot(key);
      slot.release();
    },
    statusChanged(team, status) {
      const { name, state } = status;
      const key = keyOf(team, name);
      switch (state) {
        case "working":
          if (jobWaitOf(status) === undefined) return ensureSlot(key);
          // It waits for a background job.
          idle.add(key);
          return release(key);
        // A waiting teammate needs no slot, and its answer may need one.
        case "waiting":
        case "idle":
        case "ended":
          idle.add(key);
          return release(key);
        case "starting":
        case "draining":
          return;
      }
    },
    close() {
      for (const key of held.keys()) release(key);
    },
  };
}

const keyOf = (team: string, name: string) => `${name}@${team}`;
