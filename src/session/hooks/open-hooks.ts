import type { Placed } from "../config/settings/merge-settings.ts";
import type { SessionHookPorts, SessionHooks } from "./session-hooks.ts";

export interface OpenedHooks {
  readonly create: (ports: SessionHookPorts) => SessionHooks;
  readonly notices: readonly string[];
}

/** Returns undefined, and loads no hook code, if no hooks are configured. Throws a `TroupeError` for invalid hooks. */
export async function openHooks(placed: readonly Placed<unknown>[]): Promise<OpenedHooks | undefined> {
  if (placed.length === 0) return undefined;
  const [{ loadHooks }, { createSessionHooks }] = await Promise.all([
    import("./load-hooks.ts"),
    import("./session-hooks.ts"),
  ]);
  const { hooks, notices } = loadHooks(placed);
  return { create: (ports) => createSessionHooks(hooks, ports), notices };
}
