import { createIdFactory, systemClock } from "../../platform/index.ts";
import { type BusAddress, createFileSessionStore, type SessionStore } from "../../store/index.ts";
import { type ConfigInput, loadConfig } from "../config/load-config.ts";

/** Opens the session store of this machine, to inspect sessions without opening one. */
export async function openSessionStore(input: ConfigInput): Promise<OpenedStore> {
  const { home, cwd, bus, claudeFolder } = await loadConfig(input);
  const store = createFileSessionStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
  return { store, cwd, home, bus, claudeFolder };
}

interface OpenedStore {
  readonly store: SessionStore;
  readonly cwd: string;
  readonly home: string;
  /** The bus that stores the teams, if they are not in files. */
  readonly bus: BusAddress | undefined;
  /** Claude Code's folder, if its teams are used. */
  readonly claudeFolder: string | undefined;
}
