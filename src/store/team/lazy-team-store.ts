import type { TeamStore } from "./team-store.ts";

/** A team store whose code loads at first use. */
export function lazyTeamStore(load: () => Promise<TeamStore>): TeamStore {
  let loading: Promise<TeamStore> | undefined;
  const store = () => (loading ??= load());
  return {
    create: async (team) => (await store()).create(team),
    open: async (name) => (await store()).open(name),
    list: async () => (await store()).list(),
    delete: async (name, how) => (await store()).delete(name, how),
  };
}
