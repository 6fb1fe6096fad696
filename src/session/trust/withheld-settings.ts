import type { Settings } from "../../protocol/index.ts";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";

/** How far a folder's own settings are believed: `none`, only where they forbid or ask more; `all`, everything. */
export type FolderTrust = "none" | "all";

/** A setting of the folder that is not in force, for whoever asks the user whether it may be. */
export interface WithheldSetting {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

/**
 * What a repository says about itself, without what could let it act: before the folder is trusted it may forbid, ask for
 * more questions and ask for plan mode, and nothing else. What is not known here is withheld, so that a setting that is
 * added later is on the safe side by itself.
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
