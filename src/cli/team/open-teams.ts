import { createIdFactory, openStateRoot, systemClock } from "../../platform/index.ts";
import { openSessionStore, type StoreOptions } from "../../session/index.ts";
import { type BusAddress, openTeamStore, type SessionStore, type TeamStore } from "../../store/index.ts";

export interface TeamsPlace {
  readonly teams: TeamStore;
  readonly sessions: SessionStore;
  readonly home: string;
  readonly bus: BusAddress | undefined;
  readonly claudeFolder: string | undefined;
  readonly cwd: string;
}

/** Opens the teams and sessions of this user on this machine, or the teams of the bus. */
export async function openTeams(flags: StoreOptions): Promise<TeamsPlace> {
  const { store, cwd, home, bus, claudeFolder } = await openSessionStore({
    cwd: process.cwd(),
    env: process.env,
    flags: { bus: flags.bus, teamStore: flags.teamStore },
  });
  const { path } = await openStateRoot(home, { mayOnlyRead: true });
  const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
  const teams = openTeamStore({ home: path, bus, claudeFolder, ...ports });
  return { teams, sessions: store, home: path, bus, claudeFolder, cwd };
}
