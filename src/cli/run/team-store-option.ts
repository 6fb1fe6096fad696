/**
 * Parses `--team-store`. The value applies to this process and the processes it starts, as if the variable were set.
 */
export function setTeamStoreEnv(store: string): string {
  process.env["TROUPE_TEAM_STORE"] = store;
  return store;
}

export const teamStoreOptionHelp = "format of the team files: troupe, or claude for Claude Code";
