import type { DashboardState } from "../state/dashboard-state.ts";
import { foldEnvelopes } from "../state/fold-envelopes.ts";
import type { Recording } from "./recording.ts";

/** Returns the state after any number of events of a recording, quickly for prepared positions. */
export interface Player {
  /** The state after the first `count` envelopes. */
  at(count: number): DashboardState;
  /** Prepares more states for about this time. Returns the finished share, from 0 to 1. */
  prepare(ms: number): number;
}

/** Number of envelopes between kept states. The states share most data, so keeping them is cheap. */
const every = 500;

export function createPlayer(recording: Recording, first: DashboardState): Player {
  const { envelopes } = recording;
  const kept: DashboardState[] = [first];

  /** Keeps the next state. */
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
