import { openClaudeTeamStore } from "./claude-files/load-claude-team-store.ts";
import { openNatsTeamStore } from "./nats/load-nats-team-store.ts";
import type { NatsTeamStoreOptions } from "./nats/nats-team-store.ts";
import { createFileTeamStore } from "./team/load-file-team-store.ts";
import type { TeamStore } from "./team/team-store.ts";

export type TeamStoreOptions = Pick<NatsTeamStoreOptions, "home" | "clock" | "createId" | "onNotice"> & {
  /** The bus that has the teams, if they are not in files of this machine. */
  readonly bus?: NatsTeamStoreOptions["bus"] | undefined;
  /** Claude Code's folder, if the teams are in its files. */
  readonly claudeFolder?: string | undefined;
};

/** Opens the teams of Claude Code or of a bus if requested, otherwise those in the files of a home. */
export function openTeamStore({ bus, claudeFolder, ...options }: TeamStoreOptions): TeamStore {
  if (claudeFolder !== undefined) return openClaudeTeamStore({ ...options, claudeFolder });
  return bus === undefined ? createFileTeamStore(options) : openNatsTeamStore({ ...options, bus });
}
