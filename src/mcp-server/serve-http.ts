import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeMcpRequestHandler,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { TroupeError } from "../protocol/index.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { createMemberConnection, type MemberConnection, type MemberConnectionOptions } from "./member-connection.ts";
import { createMemberTools, type MemberToolOptions } from "./member-tools.ts";

export interface HttpOptions extends MemberConnectionOptions, MemberToolOptions {
  readonly port: number;
  /** Requests without this token are refused. */
  readonly token: string;
  readonly onError: (error: Error) => void;
}

export interface HttpServing {
  readonly port: number;
  close(): Promise<void>;
}

export const newToken = (): string => randomBytes(32).toString("base64url");

/**
 * Serves members over HTTP on the loopback interface. `/mcp/NAME` is the member of that name, for clients with the
 * token. Requests are stateless, so the name is in the URL and not in a session.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpServing> {
  const connections = new Map<string, Promise<NodeMcpRequestHandler>>();
  const taken: MemberConnection[] = [];

  const connectionFor = (name: string) => {
    const known = connections.get(name);
    if (known) return known;
    if (connections.size >= maxMembers)
      throw new TroupeError("team", `there are already ${maxMembers} members on this server`);
    const opening = open(name);
    connections.set(name, opening);
    opening.catch(() => connections.delete(name));
    return opening;
  };
  const open = async (name: string) => {
    const connection = createMemberConnection(options);
    await connection.register(name);
    taken.push(connection);
    const tools = createMemberTools(connection, options);
    return toNodeHandler(
      createMcpHandler(() => createMcpServer(connection, tools, name), { onerror: options.onError }),
    );
  };

  const isHost = localhostHostValidation();
  const isOrigin = localhostOriginValidation();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isHost(request, response) || !isOrigin(request, response)) return;
    if (!hasToken(request, options.token))
      return refuse(
        response,
        401,
        "not authorized. Send the header 'Authorization: Bearer TOKEN' with the token that 'troupe mcp serve' printed.",
      );
    const name = nameIn(request.url ?? "");
    if (name === undefined) return refuse(response, 404, "the URL of a member is /mcp/NAME");
    try {
      await (await connectionFor(name))(request as Parameters<NodeMcpRequestHandler>[0], response);
    } catch (error) {
      if (!TroupeError.is(error)) options.onError(error instanceof Error ? error : new Error(String(error)));
      if (!response.headersSent) refuse(response, TroupeError.is(error) ? 400 : 500, wordsOf(error));
      else response.destroy();
    }
  };
  // `answer` turns every failure into a response.
  const server = createHttpServer((request, response) => void answer(request, response));
  server.headersTimeout = 10_000;
  server.maxConnections = 256;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE" || error.code === "EACCES"
          ? new TroupeError("port", `port ${options.port} is not available. Choose another with --http.`, {
              cause: error,
            })
          : error,
      ),
    );
    server.listen(options.port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const connection of taken) await connection.leave();
    },
  };
}

const maxMembers = 64;

function nameIn(url: string): string | undefined {
  const [, encoded] = /^\/mcp\/([^/?#]+)\/?$/.exec(url) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Compares in constant time. */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [, given] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string) => createHash("sha256").update(text).digest();

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } });
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(body);
}

const wordsOf = (error: unknown) =>
  TroupeError.is(error) ? error.message : "internal error. See the output of 'troupe mcp serve'.";
