import type { Envelope } from "../../../src/protocol/index.ts";
import {
  type AnswerHistory,
  type CostSeries,
  emptyAnswerHistory,
  emptyCostSeries,
  emptyMailIndex,
  emptyTimeline,
  emptyMessageFlow,
  type MailIndex,
  reduceAnswerHistory,
  reduceCostSeries,
  reduceMailIndex,
  reduceTimeline,
  reduceMessageFlow,
  type Timeline,
  type MessageFlow,
} from "../../../src/view/index.ts";

/**
 * The folds in addition to the view, one set for each session: bounded and pure, from `emptyX` and `reduceX` of
 * src/view.
 */
export interface SessionFolds {
  readonly events: number;
  readonly timeline: Timeline;
  readonly messageFlow: MessageFlow;
  readonly cost: CostSeries;
  readonly mail: MailIndex;
  readonly answers: AnswerHistory;
  /** The budget of the session, if it has one. */
  readonly maxBudgetUsd: number | undefined;
}

export const emptySessionFolds: SessionFolds = {
  events: 0,
  timeline: emptyTimeline,
  messageFlow: emptyMessageFlow,
  cost: emptyCostSeries,
  mail: emptyMailIndex,
  answers: emptyAnswerHistory,
  maxBudgetUsd: undefined,
};

/** Gets each envelope of the session once: duplicates are removed before. */
export function reduceSessionFolds(folds: SessionFolds, envelope: Envelope): SessionFolds {
  return {
    events: folds.events + 1,
    timeline: reduceTimeline(folds.timeline, envelope),
    messageFlow: reduceMessageFlow(folds.messageFlow, envelope),
    cost: reduceCostSeries(folds.cost, envelope),
    mail: reduceMailIndex(folds.mail, envelope),
    answers: reduceAnswerHistory(folds.answers, envelope),
    maxBudgetUsd: envelope.event.type === "session.opened" ? envelope.event.maxBudgetUsd : folds.maxBudgetUsd,
  };
}
