import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type AllowedHost, type HostVerdict, isForbiddenAddress, judgeHost, parseAllowedHost } from "./judge-host.ts";

export interface EgressProxy {
  /** Listens on a unix socket at this path, or on a free loopback port if 0. */
  listen(where: string | 0): Promise<number | undefined>;
  close(): Promise<void>;
}

/**
 * The only way out of a sandbox. Host names are checked and resolved here, and the checked address is the one that is
 * dialled.
 */
export function createEgressProxy(
  allowed: readonly AllowedHost[],
  resolve: Resolve = resolveByName,
  ask?: AskHost,
): EgressProxy {
  /** Each host is asked about once. */
  const answers = new Map<string, Promise<boolean>>();
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, response) => void forward(incoming, response));
  server.on("connection", (socket) => track(socket));
  server.on("connect", (incoming, socket, head) => void tunnel(incoming, socket, head));
  server.on("clientError", (_error, socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));

  const track = (socket: Duplex) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // Either side may close at any time; the pipe then ends both.
    socket.on("error", () => socket.destroy());
  };

  const judge = async (authority: string): Promise<HostVerdict> => {
    const verdict = judgeHost(authority, allowed);
    if (verdict.ok || verdict.unlisted === undefined || ask === undefined) return verdict;
    const { unlisted } = verdict;
    const answer = answers.get(unlisted) ?? ask(unlisted);
    answers.set(unlisted, answer);
    if (await answer) return judgeHost(authority, [parseAllowedHost(unlisted)]);
    return { ok: false, reason: `${unlisted} was requested, but not allowed` };
  };

  const findWay = async (authority: string): Promise<{ address: string; port: number } | { reason: string }> => {
    const verdict = await judge(authority);
    if (!verdict.ok) return verdict;
    const address = await resolve(verdict.host);
    if (address === undefined) return { reason: `cannot resolve ${verdict.host}` };
    if (!verdict.mayBeLocal && isForbiddenAddress(address)) {
      return { reason: `${verdict.host} resolves to ${address}, which is not a public address` };
    }
    return { address, port: verdict.port };
  };

  const tunnel = async (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const way = await findWay(incoming.url ?? "");
    if ("reason" in way) return client.end(refusal(way.reason));
    const upstream: Socket = connect(way.port, way.address);
    track(upstream);
    upstream.once("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    upstream.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.end());
    return undefined;
  };

  const forward = async (incoming: IncomingMessage, response: ServerResponse) => {
    const url = absoluteUrl(incoming.url ?? "");
    const way =
      url === undefined ? { reason: "only absolute http addresses are forwarded" } : await findWay(url.authority);
    if (url === undefined || "reason" in way) {
      const reason = "reason" in way ? way.reason : "";
      response.writeHead(403, { "content-type": "text/plain" }).end(`${blocked(reason)}\n`);
      return;
    }
    const upstream = request(
      {
        host: way.address,
        port: way.port,
        method: incoming.method,
        path: url.path,
        headers: { ...endToEnd(incoming.headers), host: url.authority.replace(/:80$/, "") },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        answer.pipe(response);
      },
    );
    upstream.on("error", () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.once("close", () => upstream.destroy());
    incoming.pipe(upstream);
  };

  return {
    listen: (where) =>
      new Promise((done, fail) => {
        server.once("error", fail);
        server.listen(where === 0 ? { port: 0, host: "127.0.0.1" } : { path: where }, () => {
          server.unref();
          const address = server.address();
          done(typeof address === "object" ? address?.port : undefined);
        });
      }),
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

/** Asks whether an unlisted host, written `name:port`, may be reached. */
export type AskHost = (host: string) => Promise<boolean>;

/** Returns the first address of a name, or undefined. */
export type Resolve = (host: string) => Promise<string | undefined>;

const resolveByName: Resolve = async (host) => {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
};

/** Parsed by hand: a parser that corrects its input could check another host than the one that was written. */
function absoluteUrl(url: string): { authority: string; path: string } | undefined {
  const [, authority, path = ""] = /^http:\/\/([^/?#@\\\s]+)([/?][^\s#]*)?$/i.exec(url) ?? [];
  if (authority === undefined) return undefined;
  const withPort = /:\d+$/.test(authority) ? authority : `${authority}:80`;
  return { authority: withPort, path: path.startsWith("/") ? path : `/${path}` };
}

const hopByHop = /^(proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade|host)$/i;

const endToEnd = (headers: IncomingMessage["headers"]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.test(name)));

const blocked = (reason: string) => `Blocked by Troupe's sandbox: ${reason}.`;

function refusal(reason: string): string {
  const body = `${blocked(reason)}\n`;
  return `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}
