import type { Settings } from "../../protocol/index.ts";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";

/** Trust in a folder's own settings: `none` accepts only restrictions, `all` accepts everything. */
export type FolderTrust = "none" | "all";

/** A setting of the folder that is ignored until the user trusts it. */
export interface WithheldSetting {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

/**
 * Removes the settings of a repository that need trust. Until the folder is trusted it may only deny calls, require
 * approval and request plan mode. Unknown settings are withheld too, so that new settings are safe by default.
 */
export function withholdSettings(
  layer: SettingsLayer,
  trust: FolderTrust,
): { layer: SettingsLayer; withheld: WithheldSetting[] } {
  if (layer.level !== "project" || trust === "all") return { layer, withheld: [] };
  const { $schema: _, permissions = {}, ...rest } = layer.settings;
  const { deny, ask, defaultMode, ...looser } = permissions;
  const mode = defaultMode === "plan" ? { defaultMode } : {};
  const kept: Settings = { permissions: { ...mode, ...(deny && { deny }), ...(ask && { ask }) } };
  const requested = [
    ...Object.entries(rest),
    ...Object.entries({ ...looser, ...(defaultMode !== "plan" && { defaultMode }) }).map(
      ([key, value]) => [`permissions.${key}`, value] as const,
    ),
  ];
  const withheld = requested
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value, source: layer.source }));
  return { layer: { ...layer, settings: kept }, withheld };
}
