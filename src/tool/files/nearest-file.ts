import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode, isInside, nearestName } from "../../platform/index.ts";

/**
 * The file that was probably meant by a path that does not exist: one of a similar name in the same folder, or one of
 * the same name in a folder above, inside `roots`.
 */
export async function nearestFile(path: string, roots: readonly string[]): Promise<string | undefined> {
  const name = basename(path);
  let folder = dirname(path);
  const near = nearestName(name, await namesIn(folder));
  if (near !== undefined) return join(folder, near);
  while (roots.some((root) => isInside(dirname(folder), root))) {
    folder = dirname(folder);
    if (await isFile(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return false;
    throw error;
  }
}
