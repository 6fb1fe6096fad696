import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

/**
 * Returns the absolute path of a program. Searches only the absolute folders of `searchPath`, so that a program in the
 * working directory is never used.
 */
export async function findExecutable(name: string, searchPath: string | undefined): Promise<string | undefined> {
  for (const folder of (searchPath ?? "/usr/local/bin:/usr/bin:/bin").split(":")) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") return false;
    throw error;
  }
}
