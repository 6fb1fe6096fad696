import { appendFile } from "node:fs/promises";
import { storageError } from "../../platform/index.ts";
import type { OpenedSession } from "../../store/index.ts";

/**
 * Reports of teammates that their lead has not heard and that have made room for newer ones: for each teammate a file
 * of the lead's session, which it may read. Nothing is lost with a file: the log has all of it too.
 */
export function createReportArchive(opened: Pick<OpenedSession, "taskOutputFile">, team: string) {
  return async (member: string, text: string): Promise<string> => {
    const path = opened.taskOutputFile(`reports-of-${member}@${team}`);
    try {
      await appendFile(path, `${text}\n\n`, { mode: 0o600 });
    } catch (error) {
      throw storageError("write", path, error);
    }
    return path;
  };
}
