import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fetchPage, upgraded } from "../../../src/tool/fetch-page.ts";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";

let bench: ToolBench;
let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { url = "" } = request;
    const send = (type: string, body: string | Buffer, status = 200) =>
      response.writeHead(status, { "content-type": type }).end(body);
    if (url === "/page")
      return send(
        "text/html; charset=utf-8",
        "<html><head><title>T</title><script>bad()</script></head><body><h1>Head</h1><p>Some <b>text</b>, <a href='/x'>link</a></p><script>bad()</script></body></html>",
      );
    if (url === "/json") return send("application/json", '{"a": 1}');
    if (url === "/binary") return send("application/octet-stream", Buffer.from([1, 0, 2]));
    if (url === "/missing") return send("text/plain", "nothing here", 404);
    if (url === "/here") return response.writeHead(302, { location: "/json" }).end();
    if (url === "/round") return response.writeHead(302, { location: "/round" }).end();
    if (url === "/away") return response.writeHead(301, { location: "https://other.invalid/path" }).end();
    if (url === "/large") {
      response.writeHead(200, { "content-type": "text/plain" });
      const chunk = Buffer.alloc(1024 * 1024, "x");
      const more = () => void response.write(chunk, (error) => void (!error && setImmediate(more)));
      return more();
    }
    if (url === "/never") return undefined;
    return request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  bench = openToolBench();
});
afterEach(() => bench.close());

const fetched = async (path: string, more = {}) => {
  const outcome = await bench.call("WebFetch", { url: base + path, ...more });
  return `${outcome.outcome}: ${bench.text(outcome)}`.replaceAll(base, "BASE");
};

describe("WebFetch", () => {
  it("returns HTML as Markdown and other text unchanged", async () => {
    expect(await fetched("/page", { prompt: "the heading" })).toBe(
      "ok: BASE/page (200)\nLooking for: the heading\n\n# Head\n\nSome **text**, [link](/x)",
    );
    expect(await fetched("/json")).toBe('ok: BASE/json (200)\n\n{"a": 1}');
    expect(await fetched("/here")).toBe('ok: BASE/json (200)\n\n{"a": 1}');
  });

  it("says what it could not do", async () => {
    const said = [];
    for (const path of ["/binary", "/missing", "/away", "/round", "/large", "/reset"]) said.push(await fetched(path));
    said.push(bench.text(await bench.call("WebFetch", { url: "file:///etc/passwd" })));
    said.push(bench.text(await bench.call("WebFetch", { url: "https://user:secret@127.0.0.1/" })));
    expect(said.join("\n")).toMatchSnapshot();
  });

  it("times out, and stops at once on an abort", async () => {
    const limits = { bytes: 1000, ms: 50, redirects: 1 };
    expect(await fetchPage(new URL(`${base}/never`), limits, new AbortController().signal)).toMatchObject({
      kind: "failed",
      message: `cannot fetch ${base}/never: no complete answer within 0.05 seconds.`,
    });
    const abort = new AbortController();
    const waiting = bench.call("WebFetch", { url: `${base}/never` }, abort.signal);
    abort.abort();
    expect(await waiting).toMatchObject({ outcome: "interrupted" });
  });

  it("allows plain http to this machine only", () => {
    const pairs = [
      "http://example.com/a",
      "http://127.0.0.1:8/",
      "http://localhost/",
      "http://127.0.0.1.evil.com/",
      "http://[::1]/",
    ];
    expect(pairs.map((url) => upgraded(new URL(url)).href)).toEqual([
      "https://example.com/a",
      "http://127.0.0.1:8/",
      "http://localhost/",
      "https://127.0.0.1.evil.com/",
      "http://[::1]/",
    ]);
  });
});
