import type { Placed } from "../config/settings/merge-settings.ts";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";

/**
 * Returns the hooks that are not disabled. The administrator can disable all hooks. The user or the command line can
 * disable all except the administrator's. A project cannot disable hooks: it could remove the user's protection.
 */
export function enabledHooks(
  hooks: readonly Placed<unknown>[],
  layers: readonly SettingsLayer[],
): readonly Placed<unknown>[] {
  const said = disablingSource(layers);
  if (!said?.settings.disableAllHooks) return hooks;
  return said.level === "managed" ? [] : hooks.filter(({ level }) => level === "managed");
}

export const areHooksOff = (layers: readonly SettingsLayer[]): boolean =>
  disablingSource(layers)?.settings.disableAllHooks ?? false;

const disablingSource = (layers: readonly SettingsLayer[]) =>
  layers.find(({ level, settings }) => level !== "project" && settings.disableAllHooks !== undefined);
