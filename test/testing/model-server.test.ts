import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { createTestClock, type ModelServer, type ModelServerOptions, startModelServer } from "../../src/testing.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: ModelServerOptions) {
  const server = await startModelServer(options);
  servers.push(server);
  const anthropic = new Anthropic({ baseURL: server.anthropicBaseUrl, apiKey: "test-key", maxRetries: 0 });
  const openai = new OpenAI({ baseURL: server.openaiBaseUrl, apiKey: "test-key", maxRetries: 0 });
  return { server, anthropic, openai };
}

const hello = { model: "claude-test", max_tokens: 100, messages: [{ role: "user" as const, content: "hello" }] };
const chat = { model: "gpt-test", messages: [{ role: "user" as const, content: "hello" }] };
const rich = {
  version: 1 as const,
  steps: [
    {
      thinking: "hm",
      text: "I read ☕ now.",
      calls: [{ tool: "Read", input: { path: "a.txt" }, id: "call_1" }],
      chunk: 4,
    },
  ],
};

const call = (id: string) => ({ id, type: "function" as const, function: { name: `tool_${id}`, arguments: "{}" } });

describe("POST /v1/messages, through the official SDK", () => {
  test("not streamed", async () => {
    const { anthropic, server } = await start({ script: rich });
    const message = await anthropic.messages.create(hello);
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "I read ☕ now." },
      { type: "tool_use", id: "call_1", name: "Read", input: { path: "a.txt" } },
    ]);
    expect(message).toMatchObject({
      model: "claude-test",
      role: "assistant",
      stop_reason: "tool_use",
      usage: { output_tokens: expect.any(Number), cache_read_input_tokens: 0 },
    });
    expect(server.requests).toMatchObject([
      {
        number: 1,
        method: "POST",
        path: "/v1/messages",
        body: hello,
        status: 200,
        end: "answered",
        answer: { source: "steps[0]" },
      },
    ]);
    expect(server.requests[0]?.rawBody.toString()).toBe(JSON.stringify(hello));
    expect(server.requests[0]?.headers.authorization).toBe("Bearer test-key");
  });

  test("streamed, and accumulated by the SDK to the same message", async () => {
    const { anthropic } = await start({ script: rich });
    const stream = anthropic.messages.stream(hello);
    const texts: string[] = [];
    stream.on("text", (text) => texts.push(text));
    const message = await stream.finalMessage();
    expect(texts).toEqual(["I re", "ad ☕", " now", "."]);
    expect(message.content).toMatchObject([
      { thinking: "hm" },
      { text: "I read ☕ now." },
      { id: "call_1", input: { path: "a.txt" } },
    ]);
    expect(message.stop_reason).toBe("tool_use");
  });

  test("a conversation with results reaches the script", async () => {
    const { anthropic } = await start({
      script: { version: 1, rules: [{ when: { tool: "Read", turn: 2 }, answer: { text: "It says {{result}}." } }] },
    });
    const message = await anthropic.messages.create({
      ...hello,
      system: [{ type: "text", text: "You are terse." }],
      messages: [
        ...hello.messages,
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "Read", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "milk" }] }],
        },
      ],
    });
    expect(message.content).toMatchObject([{ text: "It says milk." }]);
  });

  test("usage reports what prompt caching read and wrote", async () => {
    const { anthropic } = await start({ script: () => ({ text: "ok" }) });
    const system = [
      { type: "text" as const, text: "rules ".repeat(2000), cache_control: { type: "ephemeral" as const } },
    ];
    const usages = [];
    for (const content of ["one", "two"]) {
      usages.push((await anthropic.messages.create({ ...hello, system, messages: [{ role: "user", content }] })).usage);
    }
    expect(usages[0]?.cache_creation_input_tokens).toBeGreaterThan(2500);
    expect(usages[0]?.cache_read_input_tokens).toBe(0);
    expect(usages[1]).toMatchObject({
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: usages[0]?.cache_creation_input_tokens,
    });
  });

  test.each([
    [
      "five breakpoints",
      Array.from({ length: 5 }, (_, i) => ({
        type: "text" as const,
        text: `${i}`,
        cache_control: { type: "ephemeral" as const },
      })),
      /maximum of 4 blocks/,
    ],
    ["an empty text", [{ type: "text" as const, text: "" }], /non-empty/],
    [
      "a result without a call",
      [{ type: "tool_result" as const, tool_use_id: "x", content: "y" }],
      /unexpected tool result x/,
    ],
  ])("refuses %s as the API would", async (_, content, message) => {
    const { anthropic } = await start({ script: rich });
    await expect(anthropic.messages.create({ ...hello, messages: [{ role: "user", content }] })).rejects.toThrow(
      message,
    );
  });

  test("refuses a call without its result, and a request that no rule answers", async () => {
    const { anthropic, server } = await start({ script: { version: 1 } });
    const open = {
      role: "assistant" as const,
      content: [{ type: "tool_use" as const, id: "c1", name: "T", input: {} }],
    };
    await expect(
      anthropic.messages.create({ ...hello, messages: [...hello.messages, open, ...hello.messages] }),
    ).rejects.toThrow(/tool calls without results right after: c1/);
    await expect(anthropic.messages.create(hello)).rejects.toThrow(
      /has no answer for agent lead, turn 1 \(last prompt: \\?"hello\\?"\)/,
    );
    expect(server.requests.map(({ status }) => status)).toEqual([400, 400]);
  });
});

describe("POST /v1/chat/completions, through the official SDK", () => {
  test("not streamed", async () => {
    const { openai } = await start({ script: rich });
    const answer = await openai.chat.completions.create(chat);
    expect(answer).toMatchObject({
      object: "chat.completion",
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: "I read ☕ now.",
            tool_calls: [{ id: "call_1", type: "function", function: { name: "Read", arguments: '{"path":"a.txt"}' } }],
          },
        },
      ],
    });
    expect(answer.usage?.total_tokens).toBe(
      (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
    );
  });

  test("streamed, and accumulated by the SDK to the same message", async () => {
    const { openai } = await start({ script: rich });
    const stream = openai.chat.completions.stream({ ...chat, stream_options: { include_usage: true } });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "I read ☕ now.",
        tool_calls: [{ id: "call_1", function: { arguments: '{"path":"a.txt"}' } }],
      },
    });
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test("usage in a stream only when requested", async () => {
    const { openai } = await start({ script: () => ({ text: "ok" }) });
    const usages = [];
    for await (const chunk of await openai.chat.completions.create({ ...chat, stream: true })) usages.push(chunk.usage);
    expect(usages).toEqual([undefined, undefined, undefined]);
  });

  test("results of several calls, the system prompt and a cached prefix", async () => {
    const { openai } = await start({
      script: ({ results, system }) => ({
        text: `${results.map((it) => `${it.tool}=${it.text}`).join(" ")} ${system.length}`,
      }),
    });
    const ask = () =>
      openai.chat.completions.create({
        model: "gpt-test",
        messages: [
          { role: "system", content: "x".repeat(8000) },
          { role: "user", content: "go" },
          { role: "assistant", tool_calls: [call("a"), call("b")] },
          { role: "tool", tool_call_id: "a", content: "1" },
          { role: "tool", tool_call_id: "b", content: "2" },
        ],
      });
    expect((await ask()).choices[0]?.message.content).toBe("tool_a=1 tool_b=2 8000");
    const cached = (await ask()).usage?.prompt_tokens_details?.cached_tokens ?? 0;
    expect(cached).toBeGreaterThan(1900);
    expect(cached % 128).toBe(0);
  });

  test("lists models", async () => {
    const { openai, anthropic } = await start({ models: ["one", "two"] });
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(["one", "two"]);
    expect((await anthropic.models.list()).data.map(({ id }) => id)).toEqual(["one", "two"]);
  });
});

describe("server", () => {
  test("distinguishes agents by a header that a test may send", async () => {
    const { anthropic } = await start({
      script: { version: 1, agents: { "lead/a": { steps: [{ text: "I am {{agent}}" }] } } },
    });
    const message = await anthropic.messages.create(hello, { headers: { "x-troupe-agent": "lead/a" } });
    expect(message.content).toMatchObject([{ text: "I am lead/a" }]);
  });

  test("pauses, continues, and reports arrived requests", async () => {
    const { anthropic, server } = await start({ script: () => ({ text: "ok" }) });
    server.pause();
    const both = Promise.all([anthropic.messages.create(hello), anthropic.messages.create(hello)]);
    expect((await server.arrived(2)).end).toBe("open");
    expect(server.open).toBe(2);
    server.resume();
    expect(await both).toHaveLength(2);
  });

  test("changes its script, and knows unused steps", async () => {
    const { anthropic, server } = await start({ script: rich });
    expect(server.unused()).toEqual(["steps[0]"]);
    server.setScript({ version: 1, steps: [{ text: "new" }] });
    expect((await anthropic.messages.create(hello)).content).toMatchObject([{ text: "new" }]);
    expect(server.unused()).toEqual([]);
  });

  test("refuses connections and listens again on the same port", async () => {
    const { anthropic, server } = await start({ script: () => ({ text: "back" }) });
    await server.refuse();
    await expect(anthropic.messages.create(hello)).rejects.toThrow(/Connection error/);
    await server.listen();
    expect((await anthropic.messages.create(hello)).content).toMatchObject([{ text: "back" }]);
  });

  test("uses its clock, and records a client that disconnects", async () => {
    const clock = createTestClock();
    const { anthropic, server } = await start({
      clock,
      script: { version: 1, steps: [{ text: "late", delayMs: 60_000 }] },
    });
    const abort = new AbortController();
    const left = anthropic.messages.create(hello, { signal: abort.signal });
    const request = await server.arrived(1);
    abort.abort();
    await expect(left).rejects.toThrow(/aborted/i);
    await expect.poll(() => request.end).toBe("left");
    expect(clock.sleeping).toBe(0);
  });

  test("answers 404 for an unknown path", async () => {
    const { server } = await start({});
    expect((await fetch(`${server.url}/v1/other`)).status).toBe(404);
    expect((await fetch(`${server.url}/v1/messages`, { method: "POST", body: "no json" })).status).toBe(400);
    expect(server.requests[1]).toMatchObject({ body: undefined, status: 400 });
    expect(server.requests[1]?.rawBody.toString()).toBe("no json");
  });
});
