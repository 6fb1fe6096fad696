import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasErrorCode, storageError } from "../../../platform/index.ts";
import type { MailId } from "../../../protocol/index.ts";

/** The path prefix of the files with an inbox's damaged lines. */
export const quarantinePrefix = (path: string): string => `${path}.bad-`;

/** True if a quarantined line names this mail. Reads the files each time, since this is rarely needed. */
export function isQuarantined(path: string, id: MailId): boolean {
  const folder = dirname(path);
  const prefix = basename(quarantinePrefix(path));
  try {
    return readdirSync(folder).some((name) => name.startsWith(prefix) && readFileSync(join(folder, name)).includes(id));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw storageError("read the quarantined mail of", path, error);
  }
}
