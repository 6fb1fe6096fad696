/** The money of a whole tree of agents. Held before a request, settled after it, so that the overshoot is one call at most. */
export interface Ledger {
  readonly spentUsd: number;
  readonly maxBudgetUsd: number | undefined;
  /** Undefined when the budget is used up, or when what is held already might use it up. */
  hold(estimateUsd: number): Hold | undefined;
  /** Spending that no hold was made for: what a log says was spent before. */
  add(usd: number): void;
}

/** Exactly one `settle` per hold. */
export interface Hold {
  settle(usd: number): void;
}

export function createLedger(maxBudgetUsd?: number): Ledger {
  let spent = 0;
  let held = 0;
  let holds = 0;
  return {
    get spentUsd() {
      return spent;
    },
    maxBudgetUsd,
    add(usd) {
      spent += usd;
    },
    hold(estimateUsd) {
      if (maxBudgetUsd !== undefined) {
        if (spent >= maxBudgetUsd) return undefined;
        if (holds > 0 && spent + held + estimateUsd > maxBudgetUsd) return undefined;
      }
      held += estimateUsd;
      holds += 1;
      return {
        settle(usd) {
          held -= estimateUsd;
          holds -= 1;
          spent += usd;
        },
      };
    },
  };
}
