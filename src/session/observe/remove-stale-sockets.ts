import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import { socketsFolder, listSockets } from "./socket-path.ts";
import { openSocket } from "./connect-session-socket.ts";

/** Removes sockets that killed processes left behind, and sockets that were never completed. */
export async function removeStaleSockets(home: string): Promise<void> {
  const folder = socketsFolder(home);
  for (const target of await listSockets(home)) {
    if (target.pid === process.pid) continue;
    const socket = isRunning(target.pid) ? undefined : await openSocket(home, target);
    socket?.destroy();
  }
  for (const name of await readdir(folder)) {
    if (!/^\.[0-9a-z]{1,8}-[0-9a-f]{6}$/.test(name)) continue;
    const path = join(folder, name);
    const { mtimeMs = Infinity } = (await stat(path).catch(() => undefined)) ?? {}; // another process removed it
    if (Date.now() - mtimeMs > maxBindMs) await rm(path, { force: true });
  }
}

const maxBindMs = 60_000;

/** Sockets of running processes are not tried, because the connection would disturb them. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasErrorCode(error, "ESRCH");
  }
}
