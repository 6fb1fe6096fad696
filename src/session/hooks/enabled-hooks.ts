import type { Placed } from "../config/settings/merge-settings.ts";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";

/**
 * The hooks of all sources, unless they are switched off: by the administrator all of them, by the user or on the command
 * line all but the administrator's. A project has no say in it: it would switch off the user's guards.
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
