import { openNatsTeamStore } from "./nats/load-nats-team-store.ts";
import type { NatsTeamStoreOptions } from "./nats/nats-team-store.ts";
import { createFileTeamStore } from "./team/load-team-store.ts";
import type { TeamStore } from "./team/team-store.ts";

export type TeamStoreOptions = Pick<NatsTeamStoreOptions, "home" | "clock" | "createId" | "onNotice"> & {
  /** Where the teams are, if not in files of this machine. */
  readonly bus?: NatsTeamStoreOptions["bus"] | undefined;
};

/** The teams of a bus where there is one, and otherwise those in the files of a home. */
export const openTeamStore = ({ bus, ...options }: TeamStoreOptions): TeamStore =>
  bus === undefined ? createFileTeamStore(options) : openNatsTeamStore({ ...options, bus });
