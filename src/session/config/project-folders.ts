import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folders whose files speak for `cwd`, the farthest first: from the root of its git repository down to itself. Outside a
 * repository it is `cwd` alone: what lies in a shared folder above may be anybody's.
 */
export function projectFolders(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, ".git")); ) {
    const above = dirname(folder);
    if (above === folder) return [cwd];
    folders.unshift(above);
    folder = above;
  }
  return folders;
}
