import { appendFile } from "node:fs/promises";
import { storageError } from "../../platform/index.ts";
import type { OpenedSession } from "../../store/index.ts";

/**
 * Archives reports of teammates that the lead has not read and that newer reports replaced. Each teammate has a file in
 * the lead's session, which the lead may read. The log has all reports too.
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
