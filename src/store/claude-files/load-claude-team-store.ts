import type { TeamStore } from "../team/team-store.ts";
import type { ClaudeTeamStoreOptions } from "./claude-team-store.ts";

/** Teams in Claude Code's files. The code loads at first use: few users need it, and all start faster. */
export function openClaudeTeamStore(options: ClaudeTeamStoreOptions): TeamStore {
  let store: Promise<TeamStore> | undefined;
  const load = () => (store ??= import("./claude-team-store.ts").then((file) => file.createClaudeTeamStore(options)));
  return {
    create: async (team) => (await load()).create(team),
    open: async (name) => (await load()).open(name),
    list: async () => (await load()).list(),
    delete: async (name, how) => (await load()).delete(name, how),
  };
}
