import type { AgentId, BackgroundId, Envelope } from "../../protocol/index.ts";

/**
 * Which of the words that are being said this moment a reader has none of yet: it can be given all of them so far. Of a turn
 * that it has heard a part of it is given no more than what comes, or it would have that part twice.
 */
export interface PartialTextTracker {
  /** Told everything that the reader is given. */
  markSent(envelope: Envelope): void;
  /** Whether the reader may be given this part of the state of now. */
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
