import { openClaudeTeamStore } from "./claude-files/load-claude-team-store.ts";
import { openNatsTeamStore } from "./nats/load-nats-team-store.ts";
import type { NatsTeamStoreOptions } from "./nats/nats-team-store.ts";
import { createFileTeamStore } from "./team/load-file-team-store.ts";
import type { TeamStore } from "./team/team-store.ts";

export type TeamStoreOptions = Pick<NatsTeamStoreOptions, "home" | "clock" | "createId" | "onNotice"> & {
  /** Where the teams are, if not in files of this machine. */
  readonly bus?: NatsTeamStoreOptions["bus"] | undefined;
  /** The folder of Claude Code, if the teams are those in its files. */
  readonly claudeFolder?: string | undefined;
};

/** The teams of Claude Code or of a bus where those are wanted, and otherwise those in the files of a home. */
export function openTeamStore({ bus, claudeFolder, ...options }: TeamStoreOptions): TeamStore {
  if (claudeFolder !== undefined) return openClaudeTeamStore({ ...options, claudeFolder });
  return bus === undefined ? createFileTeamStore(options) : openNatsTeamStore({ ...options, bus });
}
