import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { basename } from "node:path";
import { hasErrorCode } from "../../../platform/index.ts";

/** The socket name for the panes of one session. */
export const socketNameFor = (sessionId: string): string => `${socketPrefix}${sessionId.slice(-10)}`;

export const isOwnSocket = (socket: string): boolean => basename(socket).startsWith(socketPrefix);

const socketPrefix = "troupe-";

/**
 * Removes the socket file that tmux leaves behind, if it is Troupe's and no server listens. Waits up to `waitMs` for a
 * server that is ending.
 */
export async function removeDeadSocket(socket: string, waitMs = 0): Promise<boolean> {
  if (!isOwnSocket(socket)) return false;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const state = await probe(socket);
    if (state === "dead") await rm(socket, { force: true });
    if (state !== "alive") return true;
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function probe(socket: string): Promise<"alive" | "dead" | "absent"> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve("alive");
    });
    connection.once("error", (error) => {
      if (hasErrorCode(error, "ENOENT")) resolve("absent");
      else if (hasErrorCode(error, "ECONNREFUSED")) resolve("dead");
      else reject(error);
    });
  });
}
