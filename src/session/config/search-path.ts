import { dirname, isAbsolute, join } from "node:path";
import { isInside, realPathSync } from "../../platform/index.ts";
import type { Config } from "./load-config.ts";

export type SearchPathContext = Pick<Config, "cwd" | "projectFolders" | "userHome" | "trust">;

/**
 * Returns the PATH without relative entries. Until the folder is trusted, entries in the folder itself are removed too:
 * `npx` and similar tools put them first. A folder that contains the user's home counts as the user's own.
 */
export function searchPath(path: string | undefined, place: SearchPathContext): string | undefined {
  if (path === undefined) return undefined;
  const home = realPathSync(place.userHome, "/");
  const projectPaths = [place.cwd, ...place.projectFolders].filter((folder) => !isInside(home, folder));
  return path
    .split(":")
    .filter((entry) => isAbsolute(entry))
    .filter((entry) => place.trust === "all" || !isProjectFolder(realPathSync(entry), projectPaths, place.cwd))
    .join(":");
}

const isProjectFolder = (entry: string, folders: readonly string[], cwd: string) =>
  folders.some((folder) => isInside(entry, folder)) ||
  (entry.endsWith(packagePrograms) && isInside(cwd, dirname(dirname(entry))));

const packagePrograms = join("/node_modules", ".bin");
