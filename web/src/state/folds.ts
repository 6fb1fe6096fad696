import type { Envelope } from "../../../src/protocol/index.ts";
import {
  type CostSeries,
  emptyCostSeries,
  emptyMailFlow,
  emptyTimeline,
  emptyMessageFlow,
  type MailFlow,
  reduceCostSeries,
  reduceMailFlow,
  reduceTimeline,
  reduceMessageFlow,
  type Timeline,
  type MessageFlow,
} from "../../../src/view/index.ts";

/** What is folded beside `reduce`, one of each per session: bounded, pure, `emptyX` and `reduceX` of src/view. */
export interface Folds {
  readonly events: number;
  readonly timeline: Timeline;
  readonly traffic: MessageFlow;
  readonly cost: CostSeries;
  readonly mail: MailFlow;
}

export const emptyFolds: Folds = {
  events: 0,
  timeline: emptyTimeline,
  traffic: emptyMessageFlow,
  cost: emptyCostSeries,
  mail: emptyMailFlow,
};

/** Sees each envelope of the session once: stored ones that came twice are sorted out before. */
export function reduceFolds(folds: Folds, envelope: Envelope): Folds {
  return {
    events: folds.events + 1,
    timeline: reduceTimeline(folds.timeline, envelope),
    traffic: reduceMessageFlow(folds.traffic, envelope),
    cost: reduceCostSeries(folds.cost, envelope),
    mail: reduceMailFlow(folds.mail, envelope),
  };
}
