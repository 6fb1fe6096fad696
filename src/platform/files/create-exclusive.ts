import { randomBytes } from "node:crypto";
import { link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * Puts a line into a file that only its owner can read, unless the file is there already: of several that try, in any
 * process, one does. It appears whole, and is on the disk: half a key would sign what nobody can check.
 */
export async function createExclusive(path: string, line: string): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  const temporary = `${path}.${randomBytes(9).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(`${line}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw storageError("make", path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}
