import { type AgentId, type Envelope, TroupeError } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";
import { isLive, itemsOf } from "../view/index.ts";

export interface Follower {
  onEnvelope(envelope: Envelope): Promise<void>;
  /** Live events were missed up to now. All stored events will still be delivered. */
  onMissed(): void;
}

/**
 * Delivers all events of a session from now on, until it closes. A reader that is too slow continues from the stored
 * events: an editor that was stopped for an hour misses no call and no question.
 */
export async function followSession(session: Session, { onEnvelope, onMissed }: Follower): Promise<void> {
  const lastSeq = new Map<AgentId, number>();
  for (const { id, seq } of itemsOf(session.view().agents)) lastSeq.set(id, seq);
  for (let events = session.events({ fresh: true }); ; ) {
    try {
      for await (const envelope of events) {
        const isStored = !isLive(envelope.event);
        if (isStored && envelope.seq <= (lastSeq.get(envelope.agent) ?? 0)) continue;
        if (isStored) lastSeq.set(envelope.agent, envelope.seq);
        await onEnvelope(envelope);
      }
      return;
    } catch (error) {
      if (!TroupeError.is(error) || error.code !== "slow_reader") throw error;
      // In the same tick, so that later events are not missed.
      onMissed();
      events = session.events({ replay: true });
    }
  }
}
