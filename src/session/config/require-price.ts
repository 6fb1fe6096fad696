import { costOf } from "../../model/index.ts";
import { type ModelClient, TroupeError } from "../../protocol/index.ts";
import type { Config } from "./load-config.ts";

/** Throws if a budget is set and the model's price is unknown, because then costs cannot be counted. */
export function requirePrice({ ref }: ModelClient, config: Config): void {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  if (config.maxBudgetUsd === undefined || costOf(ref, none, { models: config.models }).known) return;
  throw new TroupeError(
    "settings",
    `cannot enforce the budget: the price of ${ref} is unknown. Set models.${JSON.stringify(ref)}.price in the settings, or remove --max-budget-usd.`,
  );
}
