import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { hasErrorCode } from "./storage-error.ts";

/** Far more than any settings file has. */
const limitBytes = 4 * 1024 * 1024;

/**
 * Returns the text of a file that a command may have put there, or undefined if it cannot be read at once:
 * missing, a folder, a pipe that would block, or too large.
 */
export function readRegularFileSync(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP", "ENXIO", "ENAMETOOLONG"))
      return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= limitBytes ? readFileSync(file, "utf8") : undefined;
  } finally {
    closeSync(file);
  }
}
