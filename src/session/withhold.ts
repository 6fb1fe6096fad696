import type { Settings } from "../protocol/index.ts";
import type { SettingsLayer } from "./settings-files.ts";

/** How far a folder's own settings are believed. `rules`: its permission rules and plain values; `all`: everything. */
export type FolderTrust = "none" | "rules" | "all";

/** A setting of the folder that is not in force, for whoever asks the user whether it may be. */
export interface Withheld {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

/**
 * What a repository says about itself, without what would let it act on its own: run something, see more of the disk, ask less,
 * or send the user's key somewhere. Those are kept aside until the folder is trusted.
 */
export function withhold(layer: SettingsLayer, trust: FolderTrust): { layer: SettingsLayer; withheld: Withheld[] } {
  if (layer.level !== "project" || trust === "all") return { layer, withheld: [] };
  const { source, settings } = layer;
  const withheld: Withheld[] = [];
  const aside = (key: string, value: unknown): undefined => {
    if (value !== undefined) withheld.push({ key, value, source });
    return undefined;
  };
  const { model, smallModel, aliases, permissions } = settings;
  const kept: Settings = {
    ...settings,
    env: aside("env", settings.env),
    hooks: aside("hooks", settings.hooks),
    mcpServers: aside("mcpServers", settings.mcpServers),
    providers: aside("providers", settings.providers),
    model: isScript(model) ? aside("model", model) : model,
    smallModel: isScript(smallModel) ? aside("smallModel", smallModel) : smallModel,
    aliases: Object.values(aliases ?? {}).some(isScript) ? aside("aliases", aliases) : aliases,
    permissions: permissions && {
      ...permissions,
      allow: trust === "none" ? aside("permissions.allow", permissions.allow) : permissions.allow,
      additionalDirectories: aside("permissions.additionalDirectories", permissions.additionalDirectories),
      defaultMode: isLoose(permissions.defaultMode)
        ? aside("permissions.defaultMode", permissions.defaultMode)
        : permissions.defaultMode,
    },
  };
  return { layer: { ...layer, settings: kept }, withheld };
}

/** A script is code: whoever names it as the model gets it run. */
const isScript = (model: string | undefined): boolean => model?.trim().startsWith("scripted/") ?? false;

const isLoose = (mode: string | undefined): boolean => mode === "acceptEdits" || mode === "bypassPermissions";
