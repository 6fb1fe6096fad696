import { chmod, rename } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { type Clock, type CreateId, version } from "../../platform/index.ts";
import { protocolVersion } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import { linkSocket, makeSocketsFolder, newSocketName, pathToBind, removeSocket } from "./socket-path.ts";
import { serveSocketClient } from "./serve-socket-client.ts";
import { removeStaleSockets } from "./remove-stale-sockets.ts";

/** The socket of a live session, at which other processes of the same user look on and give commands. */
export interface SessionSocket {
  /** Nobody new comes in; who is in hears the rest, and is let go. */
  close(): Promise<void>;
}

export interface SessionSocketOptions {
  readonly session: Session;
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
}

const maxGuests = 64;

/** Keeps no process alive. Rejects if it cannot listen. */
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
  // Under another name until it listens and is closed to others: by its own name it is always a door that opens.
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
  // Later trouble is that of one guest, who comes again.
  server.on("error", () => undefined);
  void removeStaleSockets(home).catch(() => undefined); // who looks for a door that is dead finds out as well

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
