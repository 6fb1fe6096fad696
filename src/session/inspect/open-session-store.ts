import { createIdFactory, systemClock } from "../../platform/index.ts";
import { type BusAddress, createFileSessionStore, type SessionStore } from "../../store/index.ts";
import { type ConfigInput, loadConfig } from "../config/load-config.ts";

/** The sessions kept on this machine, for looking at them without opening one. */
export async function openSessionStore(input: ConfigInput): Promise<OpenedStore> {
  const { home, cwd, bus, claudeFolder } = await loadConfig(input);
  const store = createFileSessionStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
  return { store, cwd, home, bus, claudeFolder };
}

interface OpenedStore {
  readonly store: SessionStore;
  readonly cwd: string;
  readonly home: string;
  /** Where teams are, if not in files. */
  readonly bus: BusAddress | undefined;
  /** The folder of Claude Code, if the teams are those in its files. */
  readonly claudeFolder: string | undefined;
}
