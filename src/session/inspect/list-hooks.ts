import { loadHooks } from "../hooks/load-hooks.ts";
import { type ConfigInput, loadConfig } from "../config/load-config.ts";

export interface ListedHook {
  readonly event: string;
  readonly command: string;
  readonly source: string;
  /** A rule that a call must match. */
  readonly condition?: string | undefined;
  /** The reason why the hook can never run. */
  readonly fault?: string | undefined;
}

/** Returns every effective hook, highest precedence first, and the sources of the folder's withheld hooks. */
export async function listHooks(
  input: ConfigInput,
): Promise<{ readonly hooks: readonly ListedHook[]; readonly withheld: readonly string[]; readonly areOff: boolean }> {
  const config = await loadConfig(input);
  const { hooks } = loadHooks(config.hooks);
  return {
    hooks: hooks.map(({ event, command, source, condition, fault }) => ({ event, command, source, condition, fault })),
    withheld: config.untrusted.filter(({ key }) => key.startsWith("hooks")).map(({ source }) => source),
    areOff: !config.hooksAllowed,
  };
}
