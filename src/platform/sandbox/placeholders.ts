import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { readRegularFileSync } from "../files/read-regular-file.ts";
import { hasErrorCode } from "../files/storage-error.ts";
import { lstatIfThere } from "./lstat-if-there.ts";

/**
 * Empty folders in place of missing protected paths, so that mounts can cover them and a sandboxed command cannot
 * create them. git does not show empty folders. They are removed after the last command that needs them. A killed process
 * leaves its folders: each has a mark, and the next command that needs it removes it. Synchronous, so that one command
 * never removes a folder that another is about to use.
 */
export interface Placeholders {
  /**
   * Returns the paths that exist now. Paths that could not be created are left out: no command can create them either.
   */
  hold(paths: readonly string[]): readonly string[];
  /** Makes files with this content. Returns their paths; a path that has other content is left out. */
  keep(files: ReadonlyMap<string, string>): readonly string[];
  /** True if the folder is one of these, also of another process. A command that needs it must hold it as well. */
  has(path: string): boolean;
  release(paths: readonly string[]): void;
  /** Tries again to remove the folders that were still in use when released. */
  close(): void;
}

export function createPlaceholders(): Placeholders {
  const holders = new Map<string, number>();
  const unused = new Set<string>();

  const contents = new Map<string, string>();

  const holdOne = (path: string): boolean => {
    const count = holders.get(path) ?? 0;
    const content = contents.get(path);
    if (count === 0 && !(content === undefined ? make(path) : makeFile(path, content))) return false;
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
      const content = contents.get(path);
      if (content === undefined) removeEmpty(path);
      else if (readRegularFileSync(path) === content) unlinkSync(path);
      unused.delete(path);
    }
  };

  return {
    hold: (paths) => paths.filter(holdOne),
    keep(files) {
      for (const [path, content] of files) contents.set(path, content);
      return [...files.keys()].filter(holdOne);
    },
    has: (path) => holders.has(path) || unused.has(path) || isMarkedAndEmpty(path),
    release(paths) {
      paths.forEach(releaseOne);
      removeUnused();
    },
    close: removeUnused,
  };
}

/** The sticky bit: made together with the folder, without effect in a folder of one user, and not set by people. */
const mark = 0o1000;

const isMarked = (path: string) => {
  const stats = lstatIfThere(path);
  return stats !== undefined && stats.isDirectory() && (stats.mode & mark) !== 0;
};

const isMarkedAndEmpty = (path: string) => isMarked(path) && readdirSync(path).length === 0;

function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: mark | 0o755 });
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return true;
    if (hasErrorCode(error, "EACCES", "EROFS", "EPERM", "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

function makeFile(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return readRegularFileSync(path) === content;
    if (hasErrorCode(error, "EACCES", "EROFS", "EPERM", "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

/** Leaves the folder, without the mark, if another program has put files into it. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOTEMPTY", "EEXIST") && isMarked(path)) chmodSync(path, 0o755);
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
