import { createIdFactory, systemClock } from "../../platform/index.ts";
import { createFileSessionStore, type SessionStore } from "../../store/index.ts";
import { type Config, type ConfigInput, loadConfig } from "../config/load-config.ts";

/** Opens the session store of this machine, to inspect sessions without opening one. */
export async function openSessionStore(input: ConfigInput): Promise<OpenedStore> {
  const { home, cwd, bus, claudeFolder } = await loadConfig(input);
  const store = createFileSessionStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
  return { store, cwd, home, bus, claudeFolder };
}

interface OpenedStore extends Pick<Config, "cwd" | "home" | "bus" | "claudeFolder"> {
  readonly store: SessionStore;
}
