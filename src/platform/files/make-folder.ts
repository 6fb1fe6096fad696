import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { hasErrorCode, storageError } from "./storage-error.ts";

/**
 * Makes the folder and those above it, closed to others; one that exists stays as it is. One by one, since the recursive
 * call of Node gives ENOENT for whatever goes wrong on a read-only file system.
 */
export async function makeFolder(path: string): Promise<string> {
  try {
    await makeOne(path);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT") || dirname(path) === path) throw storageError("make the folder", path, error);
    await makeFolder(dirname(path));
    // Where the folder above is there and this one still is not to be made, as in /proc, trying again would never end.
    await makeOne(path).catch((again: unknown) => {
      throw storageError("make the folder", path, again);
    });
  }
  return path;
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}
