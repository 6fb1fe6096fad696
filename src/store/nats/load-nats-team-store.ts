import type { TeamStore } from "../team/team-store.ts";
import type { NatsTeamStoreOptions } from "./nats-team-store.ts";

/** The teams of a bus. The client loads at first use: most users have no bus and start faster. */
export function openNatsTeamStore(options: NatsTeamStoreOptions): TeamStore {
  let store: Promise<TeamStore> | undefined;
  const load = () => (store ??= import("./nats-team-store.ts").then((file) => file.createNatsTeamStore(options)));
  return {
    create: async (team) => (await load()).create(team),
    open: async (name) => (await load()).open(name),
    list: async () => (await load()).list(),
    delete: async (name, how) => (await load()).delete(name, how),
  };
}
