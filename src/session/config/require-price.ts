import { costOf } from "../../model/index.ts";
import { type ModelClient, TroupeError } from "../../protocol/index.ts";
import type { Config } from "./load-config.ts";

/** A budget that nobody can count is no budget. */
export function requirePrice({ ref }: ModelClient, config: Config): void {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  if (config.maxBudgetUsd === undefined || costOf(ref, none, { models: config.models }).known) return;
  throw new TroupeError(
    "settings",
    `the price of ${ref} is not known, so a budget cannot be kept: give it one in the settings (models.${JSON.stringify(ref)}.price), or leave out --max-budget-usd`,
  );
}
