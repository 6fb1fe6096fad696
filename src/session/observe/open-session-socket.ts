import { chmod, rename } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { type Clock, type CreateId, version } from "../../platform/index.ts";
import { protocolVersion } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import { linkSocket, makeSocketsFolder, newSocketName, pathToBind, removeSocket } from "./socket-path.ts";
import { serveSocketClient } from "./serve-socket-client.ts";
import { removeStaleSockets } from "./remove-stale-sockets.ts";

/** The session socket, through which other processes of the same user follow and command an open session. */
export interface SessionSocket {
  /** Accepts no new clients. Existing clients get the remaining events and are then disconnected. */
  close(): Promise<void>;
}

export interface SessionSocketOptions {
  readonly session: Session;
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
}

const maxGuests = 64;

/** Does not keep the process alive. Rejects if it cannot listen. */
export async function openSessionSocket({
  session,
  home,
  clock,
  createId,
}: SessionSocketOptions): Promise<SessionSocket> {
  const clients = new Set<ReturnType<typeof serveSocketClient>>();
  const folder = await makeSocketsFolder(home);
  const name = newSocketName(session.id, process.pid);
  const server = createServer((socket) => {
    socket.unref();
    const client = serveSocketClient(socket, {
      session,
      hello: { say: "hello", v: protocolVersion, session: session.id, version },
      isFull: clients.size >= maxGuests,
      clock,
      createId,
    });
    clients.add(client);
    socket.once("close", () => clients.delete(client));
  });
  server.unref();
  // Uses a temporary name until it listens and other users have no access. So a socket with the final name always
  // accepts connections.
  const binding = await pathToBind(folder, `.${name.slice(name.indexOf(".") + 1)}`);
  try {
    await listen(server, binding.path);
    await chmod(binding.path, 0o600);
    if (binding.isLinked) await linkSocket(binding.path, folder, name);
    else await rename(binding.path, join(folder, name));
  } catch (error) {
    server.close();
    throw error;
  } finally {
    binding.release();
  }
  // Later errors concern one client, which can connect again.
  server.on("error", () => undefined);
  void removeStaleSockets(home).catch(() => undefined); // a client that finds a stale socket removes it as well

  return {
    async close() {
      server.close();
      await removeSocket(folder, name);
      for (const client of clients) client.closeWhenDone();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
