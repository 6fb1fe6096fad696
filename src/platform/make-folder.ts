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
    return makeFolder(path);
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
