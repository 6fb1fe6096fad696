import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync } from "node:fs";
import { hasErrorCode } from "../files/storage-error.ts";

/**
 * Empty folders in place of missing protected paths, so that mounts can cover them and a sandboxed command cannot
 * create them. git does not show empty folders. They are removed after the last command that needs them. Synchronous,
 * so that one command never removes a folder that another is about to use.
 */
export interface Placeholders {
  /**
   * Returns the paths that exist now. Paths that could not be created are left out: no command can create them either.
   */
  hold(paths: readonly string[]): readonly string[];
  /** True if the folder is one of these. Another command that needs it must hold it as well. */
  has(path: string): boolean;
  release(paths: readonly string[]): void;
  /** Tries again to remove the folders that were still in use when released. */
  close(): void;
}

export function createPlaceholders(): Placeholders {
  const holders = new Map<string, number>();
  const unused = new Set<string>();

  const holdOne = (path: string): boolean => {
    const count = holders.get(path) ?? 0;
    if (count === 0 && !make(path)) return false;
    holders.set(path, count + 1);
    unused.delete(path);
    return true;
  };

  const releaseOne = (path: string): void => {
    const count = (holders.get(path) ?? 1) - 1;
    if (count > 0) holders.set(path, count);
    else {
      holders.delete(path);
      unused.add(path);
    }
  };

  const removeUnused = (): void => {
    if (unused.size === 0) return;
    const used = mountedInOtherNamespaces();
    for (const path of unused) {
      if (used.has(path)) continue;
      removeEmpty(path);
      unused.delete(path);
    }
  };

  return {
    hold: (paths) => paths.filter(holdOne),
    has: (path) => holders.has(path) || unused.has(path),
    release(paths) {
      paths.forEach(releaseOne);
      removeUnused();
    },
    close: removeUnused,
  };
}

function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o755 });
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return true;
    if (hasErrorCode(error, "EACCES", "EROFS", "EPERM", "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

/** Leaves the folder if another program has put files into it. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EBUSY")) throw error;
  }
}

/** Returns the mount points in sandboxes of other processes: removing such a folder would remove the mount there. */
function mountedInOtherNamespaces(): ReadonlySet<string> {
  const paths = new Set<string>();
  const seen = new Set([tryRead(() => readlinkSync("/proc/self/ns/mnt"))]);
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const space = tryRead(() => readlinkSync(`/proc/${pid}/ns/mnt`));
    if (seen.has(space)) continue;
    seen.add(space);
    const table = tryRead(() => readFileSync(`/proc/${pid}/mountinfo`, "utf8")) ?? "";
    for (const line of table.split("\n")) {
      const path = line.split(" ")[4];
      if (path !== undefined) paths.add(path.replace(/\\([0-7]{3})/g, (_, code: string) => fromOctal(code)));
    }
  }
  return paths;
}

const fromOctal = (code: string) => String.fromCharCode(Number.parseInt(code, 8));

/** Returns undefined if the process has ended or belongs to another user. */
function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM", "EINVAL")) return undefined;
    throw error;
  }
}
