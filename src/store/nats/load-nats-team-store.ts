import { lazyTeamStore } from "../team/lazy-team-store.ts";
import type { TeamStore } from "../team/team-store.ts";
import type { NatsTeamStoreOptions } from "./nats-team-store.ts";

/** The teams of a bus. The client loads at first use: most users have no bus and start faster. */
export function openNatsTeamStore(options: NatsTeamStoreOptions): TeamStore {
  return lazyTeamStore(async () => (await import("./nats-team-store.ts")).createNatsTeamStore(options));
}
