import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { hasErrorCode, realPathSync } from "../../platform/index.ts";

type EntryKind = "file" | "folder" | "link" | "other";

/** The files as they are when a call is judged. */
export interface Disk {
  /** Follows links. Parts that do not exist are kept. */
  realPath(path: string): string;
  /** Links are not followed. Undefined: there is nothing. */
  kindOf(path: string): EntryKind | undefined;
  /** Undefined if the folder cannot be read. */
  entriesIn(folder: string): readonly { readonly name: string; readonly kind: EntryKind }[] | undefined;
}

/** A disk without any file: paths are what they say. */
export const emptyDisk: Disk = { realPath: (path) => path, kindOf: () => undefined, entriesIn: () => undefined };

/** The disk of this machine. */
export const realDisk: Disk = {
  realPath: (path) => realPathSync(path),
  kindOf(path) {
    try {
      return kind(lstatSync(path));
    } catch (error) {
      return hasErrorCode(error, "ENOENT", "ENOTDIR") ? undefined : "other";
    }
  },
  entriesIn(folder) {
    try {
      return readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kind(entry) }));
    } catch (error) {
      if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP", "EPERM")) return undefined;
      throw error;
    }
  },
};

const kind = (entry: Pick<Dirent, "isDirectory" | "isSymbolicLink" | "isFile">): EntryKind =>
  entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : "other";
