import type { Placed } from "../config/settings/merge-settings.ts";
import type { FunctionHooks } from "./function-hooks.ts";
import type { SessionHookPorts, SessionHooks } from "./session-hooks.ts";

export interface OpenedHooks {
  readonly create: (ports: SessionHookPorts) => SessionHooks;
  readonly notices: readonly string[];
}

/** Returns undefined, and loads no hook code, if no hooks are configured. Throws a `TroupeError` for invalid hooks. */
export async function openHooks(
  placed: readonly Placed<unknown>[],
  inCode: FunctionHooks = {},
): Promise<OpenedHooks | undefined> {
  if (placed.length === 0 && Object.keys(inCode).length === 0) return undefined;
  const [{ loadHooks }, { loadFunctionHooks }, { createSessionHooks }] = await Promise.all([
    import("./load-hooks.ts"),
    import("./function-hooks.ts"),
    import("./session-hooks.ts"),
  ]);
  const { hooks, notices } = loadHooks(placed);
  const all = [...loadFunctionHooks(inCode), ...hooks];
  return { create: (ports) => createSessionHooks(all, ports), notices };
}
