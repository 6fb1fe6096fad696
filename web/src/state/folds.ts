import type { Envelope } from "../../../src/protocol/index.ts";

/** What is folded beside `reduce`, one of each per session: bounded, pure, `emptyX` and `reduceX` of src/view. */
export interface Folds {
  readonly events: number;
}

export const emptyFolds: Folds = { events: 0 };

/** Sees each envelope of the session once: stored ones that came twice are sorted out before. */
export function reduceFolds(folds: Folds, _envelope: Envelope): Folds {
  return { events: folds.events + 1 };
}
