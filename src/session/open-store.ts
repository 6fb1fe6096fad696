import { idMaker, systemClock } from "../platform/index.ts";
import { createFileSessionStore, type SessionStore } from "../store/index.ts";
import { type ConfigInput, loadConfig } from "./load-config.ts";

/** The sessions kept on this machine, for looking at them without opening one. */
export async function openStore(input: ConfigInput): Promise<{ store: SessionStore; cwd: string; home: string }> {
  const { home, cwd } = await loadConfig(input);
  const store = createFileSessionStore({ home, clock: systemClock, createId: idMaker(systemClock) });
  return { store, cwd, home };
}
