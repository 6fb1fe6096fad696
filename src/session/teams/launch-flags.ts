import { LaunchFlags, pickOptions } from "../../protocol/index.ts";
import type { Config } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";

export const areTeamsOn = ({ flags }: Pick<StartOptions, "flags">, { teams }: Config): boolean =>
  flags.team !== undefined || teams.enabled !== false;

/**
 * The flags that also apply to teammates, wherever they run. Includes budgets from the settings of the lead's folder.
 */
export function launchFlagsOf(
  { flags, trust }: Pick<StartOptions, "flags" | "trust">,
  { maxBudgetUsd, limits: { maxTokens } }: Config,
): LaunchFlags {
  return pickOptions(LaunchFlags, { ...flags, maxBudgetUsd, maxTokens, trusted: trust === "all" || undefined });
}
