import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createModel } from "../../src/model/create-model.ts";
import { createGateRegistry } from "../../src/model/gate.ts";
import type { RetryOptions } from "../../src/model/retry.ts";
import type { Clock } from "../../src/platform/index.ts";
import * as anthropic from "../support/model/anthropic-answers.ts";
import { ask, collect, shownText } from "../support/model/model-request.ts";
import { fastClock, heldClock } from "../support/model/held-clock.ts";
import * as openai from "../support/model/openai-answers.ts";
import { closedUrl, type Play, startWireServer, type WireServer } from "../support/model/wire-server.ts";

const open: WireServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const secret = "sk-test-0123456789abcdef";

interface Side {
  readonly name: string;
  readonly path: string;
  readonly good: string;
  readonly half: string;
  error(type: string, message: string): string;
  client(url: string, clock: Clock, retry?: Partial<RetryOptions>): ReturnType<typeof createModel>;
}

const clientFor =
  (ref: string, env: (url: string) => object): Side["client"] =>
  (url, clock, retry = {}) =>
    createModel({
      ref,
      env: env(url),
      retry: { stallMs: 0, ...retry },
      gates: createGateRegistry(clock),
      clock,
      random: () => 0.5,
    });

const sides: readonly Side[] = [
  {
    name: "anthropic",
    path: "/v1/messages",
    good: anthropic.sse(anthropic.shortAnswer("fine")),
    half: anthropic.sse(anthropic.shortAnswer("half").slice(0, 3)),
    error: (type, message) => JSON.stringify({ type: "error", error: { type, message } }),
    client: clientFor("anthropic/claude-sonnet-5-5", (url) => ({ anthropicKey: secret, anthropicBaseUrl: url })),
  },
  {
    name: "openai",
    path: "/v1/chat/completions",
    good: openai.sse(openai.shortAnswer("fine")),
    half: openai.sse([openai.delta({ content: "half" })], ""),
    error: (type, message) => JSON.stringify({ error: { type, message, code: null, param: null } }),
    client: clientFor("openai/gpt-5.6-terra", (url) => ({ openaiKey: secret, openaiBaseUrl: `${url}/v1` })),
  },
];

async function serve(plays: readonly Play[]) {
  const server = await startWireServer(plays);
  open.push(server);
  return server;
}

const kinds = (events: Awaited<ReturnType<typeof collect>>) => events.map((event) => event.type);

describe.each(sides)("$name", (side) => {
  test("asks once and gets an answer", async () => {
    const server = await serve([{ body: side.good }]);
    const events = await collect(await side.client(server.url, fastClock()));
    expect(kinds(events)).toEqual(["text.delta", "finished"]);
    expect(server.requests).toMatchObject([{ path: side.path, headers: { authorization: `Bearer ${secret}` } }]);
  });

  describe("E1", () => {
    test.each([408, 409, 429, 500, 502, 503, 504, 529])("%i is retried", async (status) => {
      const server = await serve([{ status, body: side.error("api_error", "Busy.") }, { body: side.good }]);
      const events = await collect(await side.client(server.url, fastClock()));
      expect(kinds(events)).toEqual(["retrying", "text.delta", "finished"]);
      expect(events[0]).toMatchObject({ failure: { status, message: expect.stringContaining("Busy.") } });
      expect(server.requests).toHaveLength(2);
    });

    test.each([
      [{ "retry-after": "7" }, 7_000],
      [{ "retry-after": "Sun, 15 Nov 2026 12:00:09 GMT" }, 9_000],
      [{ "retry-after-ms": "1500", "retry-after": "7" }, 1_500],
      [{ "retry-after": "soon" }, 1_000],
      [{}, 1_000],
    ])("a rate limit with %j waits %i ms", async (headers, delayMs) => {
      const clock = fastClock();
      const body = side.error("rate_limit_error", "Slow down.");
      const server = await serve([{ status: 429, headers, body }, { body: side.good }]);
      const events = await collect(await side.client(server.url, clock));
      expect(events[0]).toMatchObject({ type: "retrying", delayMs, failure: { kind: "rate_limited" } });
      expect(clock.slept).toEqual([delayMs]);
    });

    test("a server that never recovers is abandoned, and its error page is not shown", async () => {
      const server = await serve([
        { status: 502, headers: { "content-type": "text/html" }, body: "<html><h1>Bad</h1></html>" },
      ]);
      const events = await collect(await side.client(server.url, fastClock(), { maxAttempts: 3 }));
      expect(server.requests).toHaveLength(3);
      expect(events.at(-1)).toMatchObject({ type: "failed", failure: { kind: "server", status: 502 } });
      expect(JSON.stringify(events)).not.toContain("html");
    });
  });

  describe("E2", () => {
    test.each([
      [400, "invalid_request_error", "tools: bad", "bad_request"],
      [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "context_overflow"],
      [400, "invalid_request_error", "This model's maximum context length is 128000 tokens.", "context_overflow"],
      [
        400,
        "invalid_request_error",
        "max_tokens: 99999 > 64000, the maximum allowed number of output tokens",
        "bad_request",
      ],
      [401, "authentication_error", `Incorrect API key provided: ${secret}`, "authentication"],
      [402, "billing_error", "Pay first.", "forbidden"],
      [403, "permission_error", "Not yours.", "forbidden"],
      [404, "not_found_error", "model: nope", "not_found"],
      [413, "request_too_large", "Request exceeds the maximum size", "context_overflow"],
    ])("%i %s (%s) fails without a retry", async (status, type, ...[message, kind]) => {
      const server = await serve([{ status, body: side.error(type, message) }]);
      const events = await collect(await side.client(server.url, fastClock()));
      expect(events).toMatchObject([{ type: "failed", failure: { kind, status } }]);
      expect(server.requests).toHaveLength(1);
      expect(JSON.stringify(events)).not.toContain(secret);
    });
  });

  describe("E3", () => {
    test("connection refused at first, accepted later", async () => {
      const url = await closedUrl();
      const events = await collect(await side.client(url, fastClock(), { maxAttempts: 2 }));
      expect(kinds(events)).toEqual(["retrying", "failed"]);
      const host = url.replace("http://", "");
      expect(events[0]).toMatchObject({
        failure: { kind: "connection", message: expect.stringContaining(`Nothing listens on ${host} (ECONNREFUSED)`) },
      });
    });

    test("unknown host name", async () => {
      const events = await collect(await side.client("http://no-such-host.invalid", fastClock(), { maxAttempts: 2 }));
      expect(events[0]).toMatchObject({
        type: "retrying",
        failure: {
          kind: "connection",
          message: expect.stringMatching(/no-such-host\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)/),
        },
      });
    });

    test("server without TLS", async () => {
      const server = await serve([{ body: side.good }]);
      const url = server.url.replace("http:", "https:");
      const events = await collect(await side.client(url, fastClock(), { maxAttempts: 2 }));
      expect(events[0]).toMatchObject({ type: "retrying", failure: { kind: "connection" } });
    });

    test("reset before the headers", async () => {
      const server = await serve([{ after: "reset" }, { body: side.good }]);
      const events = await collect(await side.client(server.url, fastClock()));
      expect(kinds(events)).toEqual(["retrying", "text.delta", "finished"]);
      expect(events[0]).toMatchObject({ failure: { kind: "connection" } });
    });

    test("answer that is not HTTP", async () => {
      const tcp = createTcpServer((socket) =>
        socket
          .on("error", () => socket.destroy())
          .resume()
          .end("220 smtp ready\r\n"),
      );
      await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(tcp.address() as AddressInfo).port}`;
      const events = await collect(await side.client(url, fastClock(), { maxAttempts: 1 }));
      expect(events).toMatchObject([{ type: "failed", failure: { kind: "connection" } }]);
      await new Promise((resolve) => tcp.close(resolve));
    });
  });

  describe("E4", () => {
    test("socket that breaks during an answer", async () => {
      const server = await serve([{ body: side.half, after: "cut" }, { body: side.good }]);
      const events = await collect(await side.client(server.url, fastClock()));
      expect(kinds(events)).toEqual(["text.delta", "retrying", "text.delta", "finished"]);
      expect(events[1]).toMatchObject({ failure: { kind: "cut" } });
      expect(events.at(-1)).toMatchObject({ answer: { parts: [{ type: "text", text: "fine" }] } });
    });

    test("silence during an answer ends by our clock, not the server's", async () => {
      const clock = heldClock();
      const server = await serve([{ body: side.half, after: "hang" }, { body: side.good }]);
      const client = await side.client(server.url, clock, { stallMs: 60_000, firstByteMs: 300_000 });
      const events: Awaited<ReturnType<typeof collect>> = [];
      for await (const event of client.stream(ask(), new AbortController().signal)) {
        events.push(event);
        if (event.type === "text.delta" && events.length === 1) setImmediate(() => void clock.advance(60_000));
        if (event.type === "retrying") void clock.untilSleeping(event.delayMs).then(() => clock.advance(event.delayMs));
      }
      expect(kinds(events)).toEqual(["text.delta", "retrying", "text.delta", "finished"]);
      expect(events[1]).toMatchObject({ failure: { kind: "stalled" } });
    });

    test("abort during an answer from a server that hangs", async () => {
      const server = await serve([{ body: side.half, after: "hang" }]);
      const controller = new AbortController();
      const events: Awaited<ReturnType<typeof collect>> = [];
      const client = await side.client(server.url, fastClock());
      for await (const event of client.stream(ask(), controller.signal)) {
        events.push(event);
        controller.abort();
      }
      expect(kinds(events)).toEqual(["text.delta", "failed"]);
      expect(events.at(-1)).toMatchObject({ failure: { kind: "aborted" } });
    });

    test("abort before the headers", async () => {
      const server = await serve([{ after: "hang" }]);
      const controller = new AbortController();
      const client = await side.client(server.url, fastClock());
      void server.untilRequests(1).then(() => controller.abort());
      expect(await collect(client, ask(), controller.signal)).toMatchObject([{ failure: { kind: "aborted" } }]);
    });
  });

  test("E8: a hundred agents of one account, all refused at first, are all served without a retry storm", async () => {
    const clock = fastClock();
    const body = side.error("rate_limit_error", "Slow down.");
    const server = await startWireServer((number) =>
      number < 16 ? { status: 429, headers: { "retry-after": "2" }, body } : { body: side.good },
    );
    open.push(server);
    const client = await side.client(server.url, clock);
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const agentPath = index === 0 ? "lead" : `lead/${index}`;
        return collect(client, ask({ caller: { ...ask().caller, agentPath } }));
      }),
    );
    expect(results.every((events) => shownText(events) === "fine")).toBe(true);
    expect(server.requests).toHaveLength(116);
  });
});
