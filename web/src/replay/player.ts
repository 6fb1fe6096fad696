import type { DashboardState } from "../state/dashboard-state.ts";
import { foldEnvelopes } from "../state/fold-envelopes.ts";
import type { Recording } from "./recording.ts";

/** Gives the state after any number of events of a recording, quickly once it has been there. */
export interface Player {
  /** The state when `count` envelopes have happened. */
  at(count: number): DashboardState;
  /** Goes on with what is still to be prepared, for about this long; how much of it is done, from 0 to 1. */
  prepare(ms: number): number;
}

/** A state is kept every so many envelopes: they share what they have in common, so keeping them costs little. */
const every = 500;

export function createPlayer(recording: Recording, first: DashboardState): Player {
  const { envelopes } = recording;
  const kept: DashboardState[] = [first];

  /** What is next to be kept. */
  const keepOne = () => {
    const from = (kept.length - 1) * every;
    const before = kept.at(-1) ?? first;
    kept.push(foldEnvelopes(before, envelopes.slice(from, from + every)));
  };
  return {
    at(count) {
      const wanted = Math.max(0, Math.min(count, envelopes.length));
      const place = Math.floor(wanted / every);
      while (kept.length <= place) keepOne();
      return foldEnvelopes(kept[place] ?? first, envelopes.slice(place * every, wanted));
    },
    prepare(ms) {
      const end = performance.now() + ms;
      const all = Math.floor(envelopes.length / every) + 1;
      while (kept.length < all && performance.now() < end) keepOne();
      return kept.length / all;
    },
  };
}
