import type { StoredEnvelope, StoredEvent } from "../protocol/index.ts";

/**
 * Returns the envelopes of a log that make up the conversation after event `to`, by default after the last one. Those
 * that a rewind has left behind are not among them.
 */
export function currentEnvelopes(log: readonly StoredEnvelope[], to = log.length): StoredEnvelope[] {
  const current: StoredEnvelope[] = [];
  for (let at = to; at > 0; ) {
    const envelope = log[at - 1];
    if (!envelope) throw new Error(`cannot read the conversation: event ${at} is not in the log`);
    const { event } = envelope;
    if (event.type === "agent.rewound" && event.to !== undefined && event.to < at) at = event.to;
    else {
      current.push(envelope);
      at -= 1;
    }
  }
  return current.reverse();
}

export const currentEvents = (log: readonly StoredEnvelope[], to?: number): StoredEvent[] =>
  currentEnvelopes(log, to).map(({ event }) => event);
