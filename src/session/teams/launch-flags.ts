import { LaunchFlags, pickOptions } from "../../protocol/index.ts";
import type { Config } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";

/** A coordinator starts workers, so it has teams only on request. */
export const areTeamsOn = (
  { flags }: Pick<StartOptions, "flags">,
  { teams }: Config,
  { coordinates }: { readonly coordinates: boolean },
): boolean => flags.team !== undefined || (teams.enabled ?? !coordinates);

/**
 * The flags that also apply to teammates, wherever they run. Includes budgets from the settings of the lead's folder.
 */
export function launchFlagsOf(
  { flags, trust }: Pick<StartOptions, "flags" | "trust">,
  { maxBudgetUsd, limits: { maxTokens } }: Config,
): LaunchFlags {
  return pickOptions(LaunchFlags, { ...flags, maxBudgetUsd, maxTokens, trusted: trust === "all" || undefined });
}
