import { addUsage, type Usage } from "../../protocol/index.ts";
import { itemsOf } from "../lists/chunked-list.ts";
import type { SessionView } from "./session-view.ts";

/** The cost of some requests. `lost` is the part paid for answers that never arrived completely. */
export interface Totals {
  readonly requests: number;
  readonly costUsd: number;
  readonly lostUsd: number;
  readonly usage: Usage;
}

export interface Spending {
  readonly total: Totals;
  readonly byModel: ReadonlyMap<string, Totals>;
}

const noTotals: Totals = {
  requests: 0,
  costUsd: 0,
  lostUsd: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

export const noSpending: Spending = { total: noTotals, byModel: new Map() };

function addTotals(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests + b.requests,
    costUsd: a.costUsd + b.costUsd,
    lostUsd: a.lostUsd + b.lostUsd,
    usage: addUsage(a.usage, b.usage),
  };
}

export function spend(spending: Spending, model: string, cost: Totals): Spending {
  const byModel = new Map(spending.byModel);
  byModel.set(model, addTotals(byModel.get(model) ?? noTotals, cost));
  return { total: addTotals(spending.total, cost), byModel };
}

/** Computed from the agents on each call, so that it cannot disagree with them. */
export function sessionSpending(view: SessionView): Spending {
  let all = noSpending;
  for (const agent of itemsOf(view.agents)) {
    for (const [model, totals] of agent.spending.byModel) all = spend(all, model, totals);
  }
  return all;
}

/** All input and output tokens, cached or not. */
export const tokensOf = ({ usage }: Totals): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
