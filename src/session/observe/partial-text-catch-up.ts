import type { AgentId, BackgroundId, Envelope } from "../../protocol/index.ts";

/**
 * Decides which partial text a reader can get as a whole when it attaches to a live feed. If the reader already has a
 * part of the turn's text, it gets only new deltas, otherwise it would get that part twice.
 */
export interface PartialTextTracker {
  /** Call it for everything that the reader gets. */
  markSent(envelope: Envelope): void;
  /** Returns true if the reader may get this part of the current state. */
  canSend(envelope: Envelope): boolean;
}

export function createPartialTextTracker(): PartialTextTracker {
  const turns = new Map<AgentId, number>();
  const tasks = new Set<BackgroundId>();
  return {
    markSent({ agent, event }) {
      if (event.type === "turn.started") turns.set(agent, event.turn);
      if (event.type === "background.started") tasks.add(event.backgroundId);
      if (event.type === "background.output") tasks.delete(event.backgroundId);
      if (event.type === "text.delta" || event.type === "thinking.delta" || event.type === "tool.drafted")
        turns.delete(agent);
    },
    canSend({ agent, event }) {
      if (event.type === "background.output") return tasks.has(event.backgroundId);
      if (event.type === "text.delta" || event.type === "thinking.delta" || event.type === "tool.drafted")
        return turns.get(agent) === event.turn;
      return true;
    },
  };
}
