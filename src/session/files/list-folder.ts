import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";

export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
}

/** Lists a folder sorted by name, with links followed. Omits hidden and unreadable entries. */
export function listFolder(path: string): FolderEntry[] {
  let names: string[];
  try {
    names = readdirSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return [];
    throw error;
  }
  return names
    .filter((name) => !name.startsWith("."))
    .sort()
    .flatMap((name) => {
      const stats = statSync(join(path, name), { throwIfNoEntry: false });
      return stats?.isFile() || stats?.isDirectory()
        ? [{ name, path: join(path, name), isFolder: stats.isDirectory() }]
        : [];
    });
}
