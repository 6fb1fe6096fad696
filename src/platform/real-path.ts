import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/**
 * The path with every link in it followed. The last parts may not exist yet: they are kept as they are, under the real
 * path of what does; a link that leads nowhere is followed to where a write through it would make the file.
 */
export async function realPath(path: string): Promise<string> {
  return follow(resolve(path), 0);
}

async function follow(path: string, links: number): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
  }
  const candidate = join(await follow(dirname(path), links), basename(path));
  const target = await readLink(candidate);
  if (target === undefined) return candidate;
  if (links >= 40) throw new Error(`${path}: too many links`);
  return follow(resolve(dirname(candidate), target), links + 1);
}

async function readLink(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (["ENOENT", "EINVAL"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Both real and absolute. A folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
