import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";

/**
 * Returns the plugin folders from the settings without duplicates, highest precedence first. A missing folder gives a
 * notice.
 */
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
      else notices.push(`${source}: the plugin folder ${path} does not exist and is ignored`);
    }
  }
  return { plugins: [...plugins], notices };
}
