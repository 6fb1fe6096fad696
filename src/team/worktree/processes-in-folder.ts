import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hasErrorCode, isInside } from "../../platform/index.ts";
import { operationVariable, type RepositoryContext } from "./repository.ts";

/** Processes whose working directory is in the folder. Empty on systems without /proc. */
export function processesIn(folder: string): number[] {
  return pids().filter((pid) => {
    const cwd = readProc(() => readlinkSync(`/proc/${pid}/cwd`));
    return cwd !== undefined && isInside(cwd.replace(/ \(deleted\)$/, ""), folder);
  });
}

/** Processes that have the file open. */
export function processesWithFileOpen(file: string): number[] {
  return pids().filter((pid) =>
    (readProc(() => readdirSync(`/proc/${pid}/fd`)) ?? []).some(
      (fd) => readProc(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === file,
    ),
  );
}

/**
 * Waits for the git commands of an operation whose process was killed. They continue without it and end soon. False if
 * one still runs after ten seconds.
 */
export async function waitForOperationEnd(place: RepositoryContext, operation: string): Promise<boolean> {
  const mark = `${operationVariable}=${operation}\0`;
  const deadline = place.clock.monotonic() + 10_000;
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    const left = pids().some((pid) => readProc(() => readFileSync(`/proc/${pid}/environ`, "latin1"))?.includes(mark));
    if (!left) return true;
    if (place.clock.monotonic() > deadline) return false;
    await place.clock.sleep(pause, place.signal);
  }
}

function pids(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Undefined if the process is gone or belongs to another user. */
function readProc<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return undefined;
    throw error;
  }
}
