import { onTestFinished } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { openNatsTeamStore, type StoredTeam, type TeamStore } from "../../../src/store/index.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";

export const ports = { clock: systemClock, createId: createIdFactory(systemClock) };

export type BusStoreOptions = Partial<Parameters<typeof openNatsTeamStore>[0]>;

/** A store as one machine has it, with a new home by default. */
export function busStore(url: string, options: BusStoreOptions = {}): TeamStore {
  return openNatsTeamStore({ bus: { servers: [url] }, home: temporaryFolder(), ...ports, ...options });
}

/** Closes the team with the test, if it is not closed before. */
export function closedAfter(team: StoredTeam): StoredTeam {
  onTestFinished(() => team.close());
  return team;
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUp = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > giveUp) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
