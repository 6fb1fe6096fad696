import { type Dirent, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

export interface FolderScanOptions {
  /** Real and absolute. */
  readonly root: string;
  /** Returns true for a path to report. */
  readonly wants: (path: string, entry: Dirent) => boolean;
  /** Folders this deep below the root are not entered. Default: no limit. */
  readonly depth?: number | undefined;
}

interface KnownFolder {
  /** Undefined if the folder may still change without another time. */
  readonly version: string | undefined;
  readonly found: readonly string[];
  readonly folders: readonly string[];
}

/**
 * Returns a function that lists the wanted paths below a folder. Links are not followed, and folders of installed
 * packages and git's own data are not entered. A folder is read again only after a name in it has changed. A command can
 * set the time of a change back, but not the time at which it did so.
 */
export function createFolderScan({ root, wants, depth = Infinity }: FolderScanOptions): () => Promise<string[]> {
  const known = new Map<string, KnownFolder>();

  const read = async (folder: string, version: string | undefined): Promise<KnownFolder> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(emptyIfUnreadable);
    const found = entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      return wants(path, entry) ? [path] : [];
    });
    const reported = new Set(found);
    const folders = entries
      .filter((entry) => entry.isDirectory() && !notEntered.has(entry.name))
      .map(({ name }) => join(folder, name))
      .filter((path) => !reported.has(path));
    return { version, found, folders };
  };

  const visit = async (folder: string, left: number): Promise<string[]> => {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) {
      known.delete(folder);
      return [];
    }
    const version = Date.now() - stats.ctimeMs < stillMs ? undefined : `${stats.dev} ${stats.ino} ${stats.ctimeMs}`;
    let now = known.get(folder);
    if (now?.version === undefined || now.version !== version) known.set(folder, (now = await read(folder, version)));
    const below = left <= 0 ? [] : await Promise.all(now.folders.map((path) => visit(path, left - 1)));
    return [...now.found, ...below.flat()];
  };

  return () => visit(root, depth);
}

/** Several changes in this time can have the same time stamp. */
const stillMs = 50;

const notEntered = new Set(["node_modules", ".git"]);

/** A folder that this user cannot read cannot be read by a command either. */
function emptyIfUnreadable(error: NodeJS.ErrnoException): Dirent[] {
  if (["EACCES", "ENOENT", "ENOTDIR", "EPERM"].includes(error.code ?? "")) return [];
  throw error;
}
