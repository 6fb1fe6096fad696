import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TroupeError } from "../protocol/index.ts";
import type { ConnectionGate } from "./connection-gate.ts";

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1, and on ::1 if available: `localhost` may mean either, and another program could use the free
 * one. Never listens on an address that other machines can reach.
 */
export async function listenOnLoopback(gate: ConnectionGate, wanted: number): Promise<Listening> {
  for (let attempt = 1; ; attempt++) {
    const four = await listen(gate.createServer(), "127.0.0.1", wanted);
    if (four === "taken" || four === "absent") throw isPortTaken(wanted);
    const { port } = four.address() as AddressInfo;
    const six = await listen(gate.createServer(), "::1", port);
    if (six !== "taken") return listening(port, six === "absent" ? [four] : [four, six]);
    await close(four);
    if (wanted !== 0 || attempt === 20) throw isPortTaken(port);
  }
}

async function listen(server: Server, host: string, port: number): Promise<Server | "taken" | "absent"> {
  server.listen({ host, port, exclusive: true });
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") return "taken";
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return "absent";
    if (code === "EACCES")
      throw new TroupeError("usage", `cannot listen on port ${port}: permission denied. Choose a port above 1023.`, {
        cause: error,
      });
    throw error;
  }
}

const isPortTaken = (port: number) =>
  new TroupeError("port", `cannot listen on port ${port}: it is in use. Choose another with --port.`);

const listening = (port: number, servers: readonly Server[]): Listening => ({
  port,
  close: async () => void (await Promise.all(servers.map(close))),
});

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Give ended streams time to send their last data.
  setImmediate(() => server.closeAllConnections());
  await closed;
}
