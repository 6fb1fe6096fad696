import { randomBytes } from "node:crypto";
import { link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * Writes a line to a private file unless the file exists. Of several concurrent writers, in any process, exactly one
 * succeeds. The file appears complete and is on disk: a partial key would create signatures that cannot be verified.
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
