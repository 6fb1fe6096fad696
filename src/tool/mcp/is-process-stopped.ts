import { readdirSync, readFileSync } from "node:fs";
import { hasErrorCode } from "../../platform/index.ts";

/**
 * True if a process of the session that `leader` started is stopped (SIGSTOP, a debugger). False if that is unknown.
 */
export function isProcessStopped(leader: number): boolean {
  return statsOf().some(({ session, state }) => session === leader && (state === "T" || state === "t"));
}

function statsOf(): { session: number; state: string }[] {
  return entries("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      // Fields: pid (name) state parent group session …; the name may contain any character.
      const fields = statText(pid)
        .replace(/^.*\)\s/s, "")
        .split(" ");
      return fields.length > 3 ? [{ state: fields[0] ?? "", session: Number(fields[3]) }] : [];
    });
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}

function statText(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ESRCH", "EACCES")) return "";
    throw error;
  }
}
