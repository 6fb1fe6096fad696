import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "./server-limits.ts";

/** What stands before the app: connections that take too long or are too many never get to it. */
export interface ConnectionGate {
  /** A server that listens nowhere yet. */
  createServer(): Server;
  /** From now on requests are answered; those that came before have waited. */
  setListener(listener: RequestListener): void;
  /** The connection belongs to somebody who may be here. */
  markAuthenticated(socket: Socket): void;
}

export function createConnectionGate(limits: ServerLimits): ConnectionGate {
  /** In the order in which they came. */
  const unauthenticated = new Set<Socket>();
  let listener: RequestListener | undefined;
  const earlyRequests: Parameters<RequestListener>[] = [];
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
        (...exchange) => void (listener ? listener(...exchange) : earlyRequests.push(exchange)),
      );
      server.maxConnections = 512;
      server.maxRequestsPerSocket = 0;
      // Who has nothing to show waits at the door, and the oldest of too many is sent away: they cannot keep the user out.
      return server.on("connection", (socket: Socket) => {
        unauthenticated.add(socket);
        socket.once("close", () => unauthenticated.delete(socket));
        const [oldest] = unauthenticated;
        if (unauthenticated.size > limits.maxUnauthenticated) oldest?.destroy();
      });
    },
    setListener(opened) {
      listener = opened;
      for (const exchange of earlyRequests.splice(0)) opened(...exchange);
    },
    markAuthenticated: (socket) => void unauthenticated.delete(socket),
  };
}
