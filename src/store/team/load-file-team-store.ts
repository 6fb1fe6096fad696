import type { FileTeamStoreOptions } from "./file-team-store.ts";
import type { TeamStore } from "./team-store.ts";

/** The teams of a home. The code loads at first use: most sessions have no team and start faster. */
export function createFileTeamStore(options: FileTeamStoreOptions): TeamStore {
  let store: Promise<TeamStore> | undefined;
  const load = () => (store ??= import("./file-team-store.ts").then((file) => file.createFileTeamStore(options)));
  return {
    create: async (team) => (await load()).create(team),
    open: async (name) => (await load()).open(name),
    list: async () => (await load()).list(),
    delete: async (name, how) => (await load()).delete(name, how),
  };
}
