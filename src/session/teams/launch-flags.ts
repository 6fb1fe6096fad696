import type { LaunchFlags } from "../../protocol/index.ts";
import type { Config } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";

export const areTeamsOn = ({ flags }: StartOptions, { teams }: Config): boolean =>
  flags.team !== undefined || teams.enabled === true;

/**
 * The flags that also apply to teammates, wherever they run. Includes budgets from the settings of the lead's folder.
 */
export function launchFlagsOf(
  { flags, trust }: Pick<StartOptions, "flags" | "trust">,
  { maxBudgetUsd, limits: { maxTokens } }: Config,
): LaunchFlags {
  const { settings, agents, appendSystemPrompt, strictMcpConfig, maxTurns } = flags;
  const { allowedTools, disallowedTools, addDir, mcpConfig } = flags;
  return {
    ...(settings !== undefined && { settings }),
    ...(agents !== undefined && { agents }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
    ...(strictMcpConfig !== undefined && { strictMcpConfig }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(allowedTools && { allowedTools: [...allowedTools] }),
    ...(disallowedTools && { disallowedTools: [...disallowedTools] }),
    ...(addDir && { addDir: [...addDir] }),
    ...(mcpConfig && { mcpConfig: [...mcpConfig] }),
    ...(trust === "all" && { trusted: true }),
  };
}
