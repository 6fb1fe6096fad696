import type { MemberStatus } from "../protocol/index.ts";
import type { AgentPlace } from "../team/index.ts";

/** The places of teammates among the agents at work: each has one while it works, and none while it rests or waits for somebody. */
export interface MemberPlaces {
  /** It was started in this place. */
  begun(team: string, name: string, place: AgentPlace): void;
  changed(team: string, status: MemberStatus): void;
  close(): void;
}

/** `occupy` gives a place at once: who is at work already is counted, and kept from nothing. */
export function createMemberPlaces(occupy: () => AgentPlace): MemberPlaces {
  const held = new Map<string, AgentPlace>();
  const release = (key: string) => {
    held.get(key)?.release();
    held.delete(key);
  };
  return {
    begun(team, name, place) {
      const key = keyOf(team, name);
      release(key);
      held.set(key, place);
    },
    changed(team, { name, state }) {
      const key = keyOf(team, name);
      switch (state) {
        case "working":
          if (!held.has(key)) held.set(key, occupy());
          return;
        // It waits for an answer, which may need the place; or it has nothing to do.
        case "waiting":
        case "idle":
        case "ended":
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
