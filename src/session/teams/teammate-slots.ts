import type { MemberStatus } from "../../protocol/index.ts";
import type { AgentSlot } from "../../team/index.ts";

/** The places of teammates among the agents at work: each has one while it works, and none while it rests or waits for somebody. */
export interface TeammateSlots {
  /** It was started in this place. */
  started(team: string, name: string, slot: AgentSlot): void;
  statusChanged(team: string, status: MemberStatus): void;
  close(): void;
}

/** `occupy` gives a place at once: who is at work already is counted, and kept from nothing. */
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
      // It may have said already that it has nothing more to do.
      if (!idle.has(key)) ensureSlot(key);
      slot.release();
    },
    statusChanged(team, { name, state }) {
      const key = keyOf(team, name);
      switch (state) {
        case "working":
          return ensureSlot(key);
        // It waits for an answer, which may need the place; or it has nothing to do.
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
