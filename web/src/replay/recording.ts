import type { Envelope, SessionId } from "../../../src/protocol/index.ts";
import { isLive } from "../../../src/view/index.ts";
import { deriveLiveEvents } from "./derive-live-events.ts";

/** All events of a session and its team, in order of time. */
export interface Recording {
  readonly session: SessionId;
  readonly envelopes: readonly Envelope[];
  /** The time of each envelope in milliseconds; never decreases. */
  readonly times: readonly number[];
  /** Positions of the stored envelopes in `envelopes`, for stepping. */
  readonly steps: readonly number[];
}

/**
 * Orders the received events: each agent's by its log, all by time. The states of members and tasks are in no log and
 * are derived.
 */
export function createRecording(session: SessionId, envelopesIn: readonly Envelope[]): Recording {
  const stored = envelopesIn.filter(({ event }) => !isLive(event));
  const latest = new Map<string, number>();
  const dated = stored.map((envelope) => {
    // If the clock is set back, the order of a log does not change.
    const time = Math.max(Date.parse(envelope.at) || 0, latest.get(envelope.agent) ?? 0);
    latest.set(envelope.agent, time);
    return { envelope, time };
  });
  dated.sort((a, b) => a.time - b.time);
  const last = envelopesIn.filter(({ event }) => isLive(event));
  const envelopes: Envelope[] = [];
  const times: number[] = [];
  const steps: number[] = [];
  const derive = deriveLiveEvents(session, stored, last);
  for (const { envelope, time } of dated) {
    steps.push(envelopes.length);
    for (const each of [envelope, ...derive(envelope)]) {
      envelopes.push(each);
      times.push(time);
    }
  }
  return { session, envelopes, times, steps };
}

/** The number of envelopes up to and including a time. */
export function countUntil({ times }: Pick<Recording, "times">, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The position one event forward or back. */
export function stepFrom({ steps, envelopes }: Recording, count: number, by: 1 | -1): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] ?? 0) < count) low = middle + 1;
    else high = middle;
  }
  // `low` stored envelopes have happened; derived ones belong to the stored one before them.
  const wanted = Math.max(0, Math.min(steps.length, low + by));
  return wanted === steps.length ? envelopes.length : (steps[wanted] ?? 0);
}
