import { type Hook, loadHooks } from "../hooks/load-hooks.ts";
import { type ConfigInput, loadConfig } from "../config/load-config.ts";

export interface ListedHook extends Pick<Hook, "command" | "source" | "condition" | "fault"> {
  readonly event: string;
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
