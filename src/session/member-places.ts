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
export function createMemberPlaces(occupy: (member: string) => AgentPlace): MemberPlaces {
  const held = new Map<string, AgentPlace>();
  const resting = new Set<string>();
  const take = (key: string) => {
    resting.delete(key);
    if (!held.has(key)) held.set(key, occupy(key));
  };
  const release = (key: string) => {
    held.get(key)?.release();
    held.delete(key);
  };
  return {
    begun(team, name, place) {
      const key = keyOf(team, name);
      // It may have said already that it has nothing more to do.
      if (!resting.has(key)) take(key);
      place.release();
    },
    changed(team, { name, state }) {
      const key = keyOf(team, name);
      switch (state) {
        case "working":
          return take(key);
        // It waits for an answer, which may need the place; or it has nothing to do.
        case "waiting":
        case "idle":
        case "ended":
          resting.add(key);
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
