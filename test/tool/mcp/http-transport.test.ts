import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { openHub, textOf } from "../../support/mcp/mcp-servers.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Message = { id?: number; method: string; params?: { name?: string } };
type Answer = (call: { message: Message; request: IncomingMessage; response: ServerResponse }) => void;

/** A small server of the older protocol. The test decides how its calls are answered. */
async function startServer(onCall: Answer): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const message = JSON.parse(body) as Message;
      const reply = (result: object) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
      };
      switch (message.method) {
        case "initialize":
          return reply({
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: "t", version: "1" },
          });
        case "tools/list":
          return reply({ tools: [{ name: "call", inputSchema: { type: "object" } }] });
        case "tools/call":
          return onCall({ message, request, response });
        default:
          if (message.id === undefined) return void response.writeHead(202).end();
          response.writeHead(400, { "content-type": "application/json" });
          response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "no" } }));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`;
}

async function flood(response: ServerResponse, end: string): Promise<void> {
  const piece = "a".repeat(1_000_000);
  for (let count = 0; count < 100 && !response.destroyed; count++) {
    if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end(end);
}

test.each(["application/json", "text/event-stream"])("F2 100 MB over HTTP as %s are refused", async (type) => {
  const url = await startServer(({ message, response }) => {
    response.writeHead(200, { "content-type": type });
    const json = `{"jsonrpc":"2.0","id":${message.id},"result":{"content":[{"type":"text","text":"`;
    response.write(type === "application/json" ? json : `event: message\ndata: ${json}`);
    void flood(response, '"}]}}\n\n');
  });
  const bench = openHub({ far: { url } }, { messageLimit: 1_000_000 });
  await bench.hub.settled();
  const before = process.memoryUsage().rss;
  const reply = await bench.call("mcp__far__call");
  expect(reply.outcome).toBe("failed");
  expect(textOf(reply)).toMatch(/it sent a message larger than the limit|more than 1000000 bytes/);
  expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000);
});

test("F2 an HTTP call that hangs ends with its timeout, and the server stays in use", async () => {
  let calls = 0;
  const url = await startServer(({ message, response }) => {
    if (++calls === 1) return;
    response.writeHead(200, { "content-type": "application/json" });
    const result = { content: [{ type: "text", text: "this time" }] };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  const bench = openHub({ far: { url, timeoutMs: 3_000 } });
  await bench.hub.settled();
  expect(textOf(await bench.call("mcp__far__call"))).toContain("did not answer within 3000 ms");
  expect(textOf(await bench.call("mcp__far__call"))).toBe("this time");
  expect(bench.changes).toHaveLength(1);
});

test("an HTTP status 500 and a partial answer fail the call and not the session", async () => {
  let calls = 0;
  const url = await startServer(({ response, message }) => {
    calls += 1;
    if (calls === 1) return void response.writeHead(500).end("out of order");
    response.writeHead(200, { "content-type": "application/json" });
    if (calls === 2) {
      response.write('{"jsonrpc":"2.0",');
      return void setTimeout(() => response.destroy(), 20);
    }
    const result = { content: [{ type: "text", text: "whole" }] };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  const bench = openHub({ far: { url } });
  await bench.hub.settled();
  expect((await bench.call("mcp__far__call")).outcome).toBe("failed");
  expect((await bench.call("mcp__far__call")).outcome).toBe("failed");
  expect(textOf(await bench.call("mcp__far__call"))).toBe("whole");
});

test("headers are sent; a server that refuses them is abandoned at once with a reason", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401).end("who are you");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.close();
    await once(server, "close");
  });
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`;
  const bench = openHub({ far: { type: "http", url, headers: { Authorization: "Bearer mine" } } });
  await bench.hub.settled();
  expect(bench.statusOf("far").state).toBe("failed");
  expect(bench.statusOf("far").error).toMatch(/401|unauthorized/i);
  expect(new Set(seen)).toEqual(new Set(["Bearer mine"]));
  expect(bench.changes).toHaveLength(1);
});

test("a refused connection is retried, then abandoned, with the address in the reason", async () => {
  const bench = openHub({ far: { url: "http://127.0.0.1:1/mcp" } });
  await bench.hub.settled();
  expect(bench.statusOf("far")).toMatchObject({ state: "failed" });
  expect(bench.statusOf("far").error).toMatch(/ECONNREFUSED|127\.0\.0\.1/);
});
