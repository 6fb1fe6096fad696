import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { hasErrorCode, storageError } from "./storage-error.ts";

/**
 * Creates the folder and its parents, private to the user; an existing folder stays as it is. Creates them one by one,
 * because Node's recursive call gives ENOENT for any failure on a read-only file system.
 */
export async function makeFolder(path: string): Promise<string> {
  try {
    await makeOne(path);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT") || dirname(path) === path) throw storageError("create the folder", path, error);
    await makeFolder(dirname(path));
    // If the parent exists and the folder still cannot be created, as in /proc, a retry would never end.
    await makeOne(path).catch((again: unknown) => {
      throw storageError("create the folder", path, again);
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
