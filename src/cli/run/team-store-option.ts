/** For `--team-store`: what is said there holds for this process and for those it starts, as if the variable had been set. */
export function setTeamStoreEnv(store: string): string {
  process.env["TROUPE_TEAM_STORE"] = store;
  return store;
}

export const teamStoreOptionHelp = "whose team files: troupe, or claude for teams of Claude Code";
