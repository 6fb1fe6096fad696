import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Returns the folders whose files apply to `cwd`, from the root of its git repository down to itself. Outside a
 * repository that is only `cwd`, because other users may own files in the folders above.
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
