import type { Placed } from "../config/settings/merge-settings.ts";
import type { SessionHookPorts, SessionHooks } from "./session-hooks.ts";

export interface OpenedHooks {
  readonly create: (ports: SessionHookPorts) => SessionHooks;
  readonly notices: readonly string[];
}

/** Undefined where there are none: then nothing of all this is loaded. Throws a `TroupeError` for what is wrong with them. */
export async function openHooks(placed: readonly Placed<unknown>[]): Promise<OpenedHooks | undefined> {
  if (placed.length === 0) return undefined;
  const [{ loadHooks }, { createSessionHooks }] = await Promise.all([
    import("./load-hooks.ts"),
    import("./session-hooks.ts"),
  ]);
  const { hooks, notices } = loadHooks(placed);
  return { create: (ports) => createSessionHooks(hooks, ports), notices };
}
