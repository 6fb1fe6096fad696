import { request as httpRequest } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import {
  closedPortUrl,
  createTestClock,
  type Fault,
  type ModelServer,
  type ServerFault,
  type Script,
  startModelServer,
} from "../../src/testing.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const text = "Grüße ☕ an alle, die warten.";
async function start(
  faults: ServerFault[],
  script: Script = { version: 1, steps: [{ text, chunk: 5 }, { text: "second" }] },
) {
  const clock = createTestClock({ auto: true });
  const server = await startModelServer({ faults, script, clock });
  servers.push(server);
  const anthropic = new Anthropic({ baseURL: server.anthropicBaseUrl, apiKey: "k", maxRetries: 0 });
  const openai = new OpenAI({ baseURL: server.openaiBaseUrl, apiKey: "k", maxRetries: 0 });
  return { server, clock, anthropic, openai };
}

const messages = [{ role: "user" as const, content: "hi" }];
const anthropicBody = { model: "m", max_tokens: 9, stream: true, messages };
const bodies = { "/v1/messages": anthropicBody, "/v1/chat/completions": { model: "m", stream: true, messages } };

/** The received bytes, and how the connection ended. */
function raw(
  server: ModelServer,
  path: keyof typeof bodies = "/v1/messages",
): Promise<{ status: number; body: string; end: string; headers: Record<string, unknown> }> {
  return new Promise((resolve) => {
    let got = Buffer.alloc(0);
    let status = 0;
    let headers = {};
    const done = (end: string) => resolve({ status, body: got.toString("utf8"), end, headers });
    const request = httpRequest(server.url + path, { method: "POST" }, (response) => {
      status = response.statusCode ?? 0;
      ({ headers } = response);
      response.on("data", (chunk: Buffer) => (got = Buffer.concat([got, chunk])));
      response.on("end", () => done("whole"));
      response.on("error", () => done("broken"));
    });
    request.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? "error"));
    request.end(JSON.stringify(bodies[path]));
  });
}

const eventsOf = (body: string) => body.split(/\r?\n\r?\n/).filter(Boolean);
const saidIn = async (client: Anthropic) =>
  (await client.messages.stream({ ...anthropicBody, stream: undefined } as never).finalMessage()).content;

const once = (fault: Fault): Script => ({ version: 1, steps: [{ text, chunk: 5, fault }] });

describe("before the body", () => {
  test("a status with headers and body, for the named request, as often as configured", async () => {
    const { server } = await start([
      { request: 2, status: 429, headers: { "retry-after": "7" }, times: 1 },
      { request: ({ headers }) => headers["x-odd"] !== undefined, status: 500 },
      { request: 3, status: 503, body: "<html>down</html>" },
    ]);
    expect((await raw(server)).status).toBe(200);
    const limited = await raw(server);
    expect(limited).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
    expect(JSON.parse(limited.body)).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
    expect(await raw(server)).toMatchObject({ status: 503, body: "<html>down</html>" });
    expect((await raw(server)).status).toBe(200);
  });

  test.each([400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 504, 529])(
    "status %i reaches both SDKs unchanged",
    async (status) => {
      const { anthropic, openai } = await start([{ status, times: 2 }]);
      await expect(anthropic.messages.create({ model: "m", max_tokens: 1, messages })).rejects.toMatchObject({
        status,
      });
      await expect(openai.chat.completions.create({ model: "m", messages })).rejects.toMatchObject({ status });
    },
  );

  test("reset, refused, and delays by the clock", async () => {
    const { server, clock } = await start([
      { reset: true },
      { beforeHeadersMs: 100, beforeBodyMs: 200, betweenEventsMs: 3 },
    ]);
    expect((await raw(server)).end).toBe("ECONNRESET");
    const slow = await raw(server);
    expect(slow.end).toBe("whole");
    expect(clock.slept).toEqual([
      100,
      200,
      ...eventsOf(slow.body)
        .slice(1)
        .map(() => 3),
    ]);
    await expect(fetch(await closedPortUrl())).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });
});

describe("within the body", () => {
  test("cut after every event and every byte, and the same answer for the retry", async () => {
    const whole = (await raw((await start([])).server)).body;
    const bytes = Buffer.from(whole).length;
    const events = eventsOf(whole).length;
    for (const fault of [
      { cutAfterEvents: 0 },
      { cutAfterEvents: 4 },
      { cutAfterEvents: events },
      { cutAfterBytes: 1 },
      { cutAfterBytes: bytes - 1 },
    ]) {
      const { server } = await start([fault]);
      const cut = await raw(server);
      expect(cut.end).toBe("broken");
      if (fault.cutAfterEvents !== undefined) expect(eventsOf(cut.body)).toHaveLength(fault.cutAfterEvents);
      else expect(Buffer.from(cut.body).length).toBe(fault.cutAfterBytes);
      expect(server.requests[0]?.end).toBe("cut");
      expect((await raw(server)).body.replaceAll(/msg_\w+/g, "")).toBe(whole.replaceAll(/msg_\w+/g, ""));
      expect(server.unused()).toEqual(["steps[1] of lead"]);
    }
  });

  test("a clean end too early, and a missing stop", async () => {
    const { server } = await start([
      { endAfterEvents: 3 },
      { malformed: "missing-stop" },
      { malformed: "missing-stop" },
    ]);
    const early = await raw(server);
    expect([early.end, eventsOf(early.body).length]).toEqual(["whole", 3]);
    expect((await raw(server)).body).not.toContain("message_stop");
    const openai = (await raw(server, "/v1/chat/completions")).body;
    expect(openai).not.toContain("[DONE]");
    expect(openai).not.toContain('"finish_reason":"stop"');
  });

  test("a stall lasts until the client disconnects", async () => {
    const { server, anthropic } = await start([{ stallAfterEvents: 4 }]);
    const abort = new AbortController();
    const stream = await anthropic.messages.create(
      { model: "m", max_tokens: 9, messages, stream: true },
      { signal: abort.signal },
    );
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (types.length === 3) abort.abort();
    }
    expect(types).toEqual(["message_start", "content_block_start", "content_block_delta"]);
    await expect.poll(() => server.requests[0]?.end).toBe("left");
  });

  test("an error event", async () => {
    const { anthropic, openai } = await start([
      { errorAfterEvents: 4 },
      { errorAfterEvents: 2, status: 500, message: "broke" },
    ]);
    await expect(saidIn(anthropic)).rejects.toThrow(/overloaded_error/);
    await expect(openai.chat.completions.stream({ model: "m", messages }).finalChatCompletion()).rejects.toThrow(
      /broke/,
    );
  });

  test.each(["crlf", "comments", "unknown-event", "split-utf8", "byte-by-byte"] as const)(
    "%s does not affect a correct reader",
    async (malformed) => {
      const { anthropic, openai } = await start([{ malformed, times: 2 }], {
        version: 1,
        rules: [{ answer: { text, chunk: 5 } }],
      });
      const said: string[] = [];
      for await (const event of await anthropic.messages.create({
        model: "m",
        max_tokens: 9,
        messages,
        stream: true,
      })) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") said.push(event.delta.text);
      }
      expect(said.join("")).toBe(text);
      const chunks: string[] = [];
      for await (const chunk of await openai.chat.completions.create({ model: "m", messages, stream: true }))
        chunks.push(chunk.choices[0]?.delta.content ?? "");
      expect(chunks.join("")).toBe(text);
    },
  );

  test("a line of ten megabytes is sent within the answer", async () => {
    const { server } = await start([{ malformed: "long-line" }]);
    const { body, end } = await raw(server);
    expect(end).toBe("whole");
    expect(Math.max(...body.split("\n").map((line) => line.length))).toBeGreaterThan(10 * 1024 * 1024);
    expect(body).toContain("message_stop");
  });

  test("bad JSON and duplicate indexes are sent", async () => {
    const { server } = await start([{ malformed: "bad-json" }, { malformed: "duplicate-index" }], {
      version: 1,
      rules: [
        {
          answer: {
            calls: [
              { tool: "A", input: {} },
              { tool: "B", input: {} },
            ],
          },
        },
      ],
    });
    expect(eventsOf((await raw(server)).body).some((event) => event.endsWith('"del'))).toBe(true);
    expect((await raw(server)).body).not.toContain('"index":1');
  });
});

describe("faults of a script, as a server sends them", () => {
  test.each([
    ["rate_limited", 429],
    ["overloaded", 529],
    ["server", 500],
    ["context_overflow", 400],
    ["authentication", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["bad_request", 400],
  ] as const)("%s is status %i, then the answer", async (kind, status) => {
    const { server } = await start([], once({ kind, retryAfterMs: 1500 }));
    expect((await raw(server)).status).toBe(status);
    expect((await raw(server)).status).toBe(200);
  });

  test("the requested wait is sent as a header", async () => {
    const { server } = await start([], once({ kind: "rate_limited", retryAfterMs: 1500 }));
    expect((await raw(server)).headers).toMatchObject({ "retry-after-ms": "1500" });
  });

  test("connection, cut and malformed", async () => {
    expect((await raw((await start([], once({ kind: "connection" }))).server)).end).toBe("ECONNRESET");
    const cut = await raw((await start([], once({ kind: "cut", after: 2 }))).server);
    expect([cut.end, cut.body.match(/text_delta/g)?.length]).toEqual(["broken", 2]);
    expect((await raw((await start([], once({ kind: "malformed" }))).server)).body).toContain('"del\n');
    expect((await raw((await start([], once({ kind: "overloaded", after: 1 }))).server)).body).toContain(
      "overloaded_error",
    );
  });
});
