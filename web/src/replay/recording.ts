import type { Envelope, SessionId } from "../../../src/protocol/index.ts";
import { isLive } from "../../../src/view/index.ts";
import { deriveLiveEvents } from "./derive-live-events.ts";

/** All that happened in a session and its team, in the order of time. */
export interface Recording {
  readonly session: SessionId;
  readonly envelopes: readonly Envelope[];
  /** When each happened, in milliseconds; never less than the one before. */
  readonly times: readonly number[];
  /** Where in `envelopes` the stored ones are: what one steps through. */
  readonly steps: readonly number[];
}

/**
 * What the server told of a session, put in order: of each agent as its log is, of all by the clock. How members and tasks were
 * at each moment is in no log, and is made up from what they did.
 */
export function createRecording(session: SessionId, envelopesIn: readonly Envelope[]): Recording {
  const stored = envelopesIn.filter(({ event }) => !isLive(event));
  const latest = new Map<string, number>();
  const dated = stored.map((envelope) => {
    // A clock that was set back must not turn a log around.
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

/** How many envelopes there are up to a time, that of the time itself among them. */
export function countUntil({ times }: Pick<Recording, "times">, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where one event further, or back, is. */
export function stepFrom({ steps, envelopes }: Recording, count: number, by: 1 | -1): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] ?? 0) < count) low = middle + 1;
    else high = middle;
  }
  // `low` stored ones have happened; what was made up from one goes with it.
  const wanted = Math.max(0, Math.min(steps.length, low + by));
  return wanted === steps.length ? envelopes.length : (steps[wanted] ?? 0);
}
