import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";

/** The folders of plugins that the settings name, the strongest first, each once; one that is not there is told. */
export function pluginFolders(
  layers: readonly SettingsLayer[],
  userHome: string,
): { plugins: readonly string[]; notices: readonly string[] } {
  const plugins = new Set<string>();
  const notices: string[] = [];
  for (const { settings, folder, source } of layers) {
    for (const named of settings.plugins ?? []) {
      const path = named === "~" || named.startsWith("~/") ? join(userHome, named.slice(1)) : resolve(folder, named);
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) plugins.add(path);
      else notices.push(`${source}: the folder ${path} of plugins is not there and is left out`);
    }
  }
  return { plugins: [...plugins], notices };
}
