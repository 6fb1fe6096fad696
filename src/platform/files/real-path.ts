import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/**
 * Returns the path with every link followed. Trailing parts may not exist yet: they are kept below the real path of the
 * existing part. A dangling link is followed to the place where a write would create the file.
 */
export function realPathSync(path: string, cwd = "/"): string {
  return follow(resolve(cwd, path), 0);
}

function follow(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A part that is a file, an unreadable folder, or a name that is too long: nothing can be reached through these.
    if (code === "ENOTDIR" || code === "EACCES" || code === "ENAMETOOLONG" || code === "ELOOP") return path;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
  }
  const candidate = join(follow(dirname(path), links), basename(path));
  const target = readLink(candidate);
  if (target === undefined || links >= 40) return candidate;
  return follow(resolve(dirname(candidate), target), links + 1);
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (
      ["ENOENT", "EINVAL", "ENOTDIR", "EACCES", "ENAMETOOLONG"].includes((error as NodeJS.ErrnoException).code ?? "")
    ) {
      return undefined;
    }
    throw error;
  }
}

/** Both real and absolute. A folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
