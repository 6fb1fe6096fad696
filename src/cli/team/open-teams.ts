import { idMaker, openStateRoot, systemClock } from "../../platform/index.ts";
import { openStore } from "../../session/index.ts";
import { createFileTeamStore, type SessionStore, type TeamStore } from "../../store/index.ts";

export interface TeamsPlace {
  readonly teams: TeamStore;
  readonly sessions: SessionStore;
  readonly home: string;
  readonly cwd: string;
}

/** The teams and sessions of this machine's user, from the shell. */
export async function openTeams(): Promise<TeamsPlace> {
  const { store, cwd, home } = await openStore({ cwd: process.cwd(), env: process.env });
  const { path } = await openStateRoot(home);
  const teams = createFileTeamStore({ home: path, clock: systemClock, createId: idMaker(systemClock) });
  return { teams, sessions: store, home: path, cwd };
}
