import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** Returns a URL on this machine where nothing listens. */
export function closedPortUrl(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(`http://127.0.0.1:${port}`));
    });
  });
}
