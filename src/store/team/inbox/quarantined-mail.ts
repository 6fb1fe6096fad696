import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasErrorCode, storageError } from "../../../platform/index.ts";
import type { MailId } from "../../../protocol/index.ts";

/** What an inbox's damaged lines are kept in begins with this. */
export const quarantinePrefix = (path: string): string => `${path}.bad-`;

/** Whether a damaged line that was set aside names this mail. Read from the files each time: seldom is anybody in doubt. */
export function isQuarantined(path: string, id: MailId): boolean {
  const folder = dirname(path);
  const prefix = basename(quarantinePrefix(path));
  try {
    return readdirSync(folder).some((name) => name.startsWith(prefix) && readFileSync(join(folder, name)).includes(id));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw storageError("read what was set aside of", path, error);
  }
}
