import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How the server answers one request. */
export interface Play {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** `cut` destroys the socket after the body, `hang` sends nothing more, `reset` destroys it before any header. */
  readonly after?: "end" | "cut" | "hang" | "reset";
}

export interface WireServer {
  readonly url: string;
  readonly requests: { path: string; headers: IncomingHttpHeaders; body: unknown }[];
  /** Resolves once this many requests have arrived. */
  untilRequests(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Plays the answers one after another on loopback and repeats the last one. */
export async function startWireServer(plays: readonly Play[] | ((number: number) => Play)): Promise<WireServer> {
  const requests: WireServer["requests"] = [];
  const watchers = new Set<() => void>();
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const number = requests.length;
      const text = Buffer.concat(pieces).toString("utf8");
      requests.push({ path: incoming.url ?? "", headers: incoming.headers, body: text ? JSON.parse(text) : undefined });
      for (const watcher of watchers) watcher();
      const play = typeof plays === "function" ? plays(number) : (plays[number] ?? plays.at(-1));
      perform(play ?? {}, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    untilRequests: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function perform({ status = 200, headers, body = "", after = "end" }: Play, response: ServerResponse): void {
  if (after === "reset") return void response.destroy();
  const type = status === 200 ? "text/event-stream" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.flushHeaders();
  if (after === "end") return void response.end(body);
  response.write(body, () => {
    if (after === "cut") response.destroy();
  });
}

/** An address on loopback where nothing listens. */
export async function closedUrl(): Promise<string> {
  const server = await startWireServer([]);
  await server.close();
  return server.url;
}
