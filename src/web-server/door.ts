import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "./server-limits.ts";

/** What stands before the app: connections that take too long or are too many never get to it. */
export interface Door {
  /** A server that listens nowhere yet. */
  createServer(): Server;
  /** From now on requests are answered; those that came before have waited. */
  open(listener: RequestListener): void;
  /** The connection belongs to somebody who may be here. */
  admit(socket: Socket): void;
}

export function createDoor(limits: ServerLimits): Door {
  /** In the order in which they came. */
  const strangers = new Set<Socket>();
  let listener: RequestListener | undefined;
  const early: Parameters<RequestListener>[] = [];
  return {
    createServer() {
      const server = createServer(
        {
          maxHeaderSize: 64 * 1024,
          headersTimeout: limits.requestMs,
          requestTimeout: limits.requestMs,
          connectionsCheckingInterval: Math.min(limits.requestMs, 2_000),
          keepAliveTimeout: 10_000,
          noDelay: true,
          insecureHTTPParser: false,
        },
        (...exchange) => void (listener ? listener(...exchange) : early.push(exchange)),
      );
      server.maxConnections = 512;
      server.maxRequestsPerSocket = 0;
      // Who has nothing to show waits at the door, and the oldest of too many is sent away: they cannot keep the user out.
      return server.on("connection", (socket: Socket) => {
        strangers.add(socket);
        socket.once("close", () => strangers.delete(socket));
        const [oldest] = strangers;
        if (strangers.size > limits.strangers) oldest?.destroy();
      });
    },
    open(opened) {
      listener = opened;
      for (const exchange of early.splice(0)) opened(...exchange);
    },
    admit: (socket) => void strangers.delete(socket),
  };
}
