import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy between a client and a server that can cut the connection. */
export interface TcpProxy {
  readonly port: number;
  /** Drops all traffic without notice, like a pulled cable. */
  cut(): void;
  heal(): void;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => {
        if (!isCut) to.write(data);
      });
      from.on("error", () => from.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    cut: () => void (isCut = true),
    heal: () => {
      isCut = false;
      // Data under way is lost, and both sides reconnect.
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
