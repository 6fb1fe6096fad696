import { lstatSync, type Stats } from "node:fs";
import { hasErrorCode } from "../files/storage-error.ts";

/** Returns undefined if there is nothing at the path, or nothing that this user can see. */
export function lstatIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (hasErrorCode(error, "ENOTDIR", "EACCES")) return undefined;
    throw error;
  }
}
