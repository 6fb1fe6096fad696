import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "./server-limits.ts";

/** Protects the app from slow and excessive connections. */
export interface ConnectionGate {
  /** Creates a server that does not listen yet. */
  createServer(): Server;
  /** Starts to answer requests, including those that already wait. */
  setListener(listener: RequestListener): void;
  /** Marks the connection as authenticated. */
  markAuthenticated(socket: Socket): void;
}

export function createConnectionGate(limits: ServerLimits): ConnectionGate {
  /** Connections without a cookie, oldest first. */
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
      // Limits unauthenticated connections by closing the oldest, so that they cannot lock out the user.
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
