import { lazyTeamStore } from "../team/lazy-team-store.ts";
import type { TeamStore } from "../team/team-store.ts";
import type { ClaudeTeamStoreOptions } from "./claude-team-store.ts";

/** Teams in Claude Code's files. The code loads at first use: few users need it, and all start faster. */
export function openClaudeTeamStore(options: ClaudeTeamStoreOptions): TeamStore {
  return lazyTeamStore(async () => (await import("./claude-team-store.ts")).createClaudeTeamStore(options));
}
