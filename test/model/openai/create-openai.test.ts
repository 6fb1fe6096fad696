import { describe, expect, test } from "vitest";
import { createOpenAi } from "../../../src/model/openai/create-openai.ts";
import type { CallId, ModelEvent, Usage } from "../../../src/protocol/index.ts";
import { ask, neverAborted, shownText } from "../../support/model/model-request.ts";
import { fastClock } from "../../support/model/held-clock.ts";
import { fetchOf } from "../../support/model/fetch-from-bytes.ts";
import {
  callMore,
  callStart,
  delta,
  finish,
  shortAnswer,
  sse,
  usageChunk,
  wholeAnswer,
} from "../../support/model/openai-answers.ts";

async function read(pieces: readonly (string | Uint8Array)[], request = ask()) {
  const events: ModelEvent[] = [];
  let spent: Usage | undefined;
  const model = createOpenAi({
    endpoint: { provider: "local", baseUrl: "http://127.0.0.1:9/v1", model: "qwen3" },
    facts: { contextWindow: 32_768, maxOutputTokens: 1000, thinking: "none" },
    clock: fastClock(),
    random: () => 0.5,
    fetch: fetchOf(pieces),
  });
  const context = {
    signal: neverAborted(),
    alive: () => undefined,
    spent: (usage: Usage) => {
      spent = usage;
    },
  };
  for await (const event of model.attempt(request, context)) events.push(event);
  return { events, spent, last: events.at(-1) };
}

async function answerTo(chunks: readonly object[], request = ask()) {
  const { last } = await read([sse(chunks)], request);
  if (last?.type !== "finished") throw new Error(`no answer: ${JSON.stringify(last)}`);
  return last.answer;
}

const usage: Usage = { inputTokens: 100, outputTokens: 42, cacheReadTokens: 900, cacheWriteTokens: 0 };
const whole: ModelEvent = {
  type: "finished",
  answer: {
    parts: [
      { type: "thinking", text: "Hm … 🤔" },
      { type: "text", text: "Größe: 日本語 👩‍🚀" },
      { type: "tool_call", callId: "call_a" as CallId, name: "Read", input: { path: "é.txt" } },
      { type: "tool_call", callId: "call_b" as CallId, name: "List", input: {} },
    ],
    stopReason: "tool_use",
    usage,
  },
};

const calls = async (...pieces: object[]) =>
  (await answerTo([...pieces.map((tool_calls) => delta({ tool_calls })), finish("stop")])).parts;

const piece = (json: string) => [{ index: 0, id: "a", function: { name: "Read", arguments: json } }];

describe("recorded answer", () => {
  test("is streamed as it arrives and finished complete", async () => {
    const { events, spent } = await read([sse(wholeAnswer)]);
    expect(events).toEqual([
      { type: "thinking.delta", text: "Hm … 🤔" },
      { type: "text.delta", text: "Größe: " },
      { type: "text.delta", text: "日本語 👩‍🚀" },
      { type: "tool.delta", name: "Read", inputJson: "" },
      { type: "tool.delta", name: "Read", inputJson: '{"path":"é' },
      { type: "tool.delta", name: "List", inputJson: "" },
      { type: "tool.delta", name: "Read", inputJson: '.txt"}' },
      { type: "tool.delta", name: "List", inputJson: "{}" },
      whole,
    ]);
    expect(spent).toEqual(usage);
  });

  test("gives the same result when split in two at every byte", async () => {
    const bytes = Buffer.from(sse(wholeAnswer));
    for (let at = 1; at < bytes.length; at++) {
      const { last } = await read([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(last, `cut at byte ${at}`).toEqual(whole);
    }
  });

  test.each([
    ["CRLF", (body: string) => body.replaceAll("\n", "\r\n")],
    ["comments between events", (body: string) => `: PROCESSING\n\n${body.replaceAll("\n\n", "\n\n: PROCESSING\n\n")}`],
    ["chunks of another kind", (body: string) => `data: {"object":"queue","position":3}\n\n${body}`],
    ["no [DONE]", (body: string) => body.replace("data: [DONE]\n\n", "")],
  ])("gives the same result with %s", async (_, change) => {
    expect((await read([change(sse(wholeAnswer))])).last).toEqual(whole);
  });

  test("may have a line of 10 MB", async () => {
    const huge = "x".repeat(10 * 1024 * 1024);
    const bytes = Buffer.from(sse(shortAnswer(huge)));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
      bytes.subarray(i * 65_536, (i + 1) * 65_536),
    );
    expect(shownText((await read(pieces)).events)).toBe(huge);
  });
});

describe("tool calls of nonstandard servers", () => {
  const read1 = { name: "Read", arguments: '{"n":1}' };
  const read2 = { name: "Read", arguments: '{"n":2}' };
  const two = [
    { type: "tool_call", name: "Read", input: { n: 1 } },
    { type: "tool_call", name: "Read", input: { n: 2 } },
  ];

  test("complete calls without an index", async () => {
    expect(await calls([{ id: "a", function: read1 }], [{ id: "b", function: read2 }])).toMatchObject(two);
  });
  test("complete calls, all with index 0", async () => {
    expect(
      await calls([{ index: 0, id: "a", function: read1 }], [{ index: 0, id: "b", function: read2 }]),
    ).toMatchObject(two);
  });
  test("complete calls with neither index nor id", async () => {
    expect(await calls([{ function: read1 }], [{ function: read2 }])).toMatchObject(two);
  });
  test("two in one chunk with empty ids: each gets a new id", async () => {
    const parts = await calls([
      { index: 0, id: "", function: read1 },
      { index: 1, id: "", function: read2 },
    ]);
    expect(parts).toMatchObject(two);
    expect(parts.map((part) => part.type === "tool_call" && part.callId)).toEqual([
      expect.stringMatching(/^call_\w{24}$/),
      expect.stringMatching(/^call_\w{24}$/),
    ]);
  });
  test("name and id repeated in every piece", async () => {
    expect(await calls(piece('{"n"'), piece(":1"), piece("}"))).toMatchObject([two[0]]);
  });
  test("pieces without index and id belong to the last call", async () => {
    expect(
      await calls([{ id: "a", function: { name: "Read", arguments: '{"n"' } }], [{ function: { arguments: ":1}" } }]),
    ).toMatchObject([two[0]]);
  });
  test("arguments that are already an object", async () => {
    expect(await calls([{ id: "a", function: { name: "Read", arguments: { n: 1 } } }])).toMatchObject([two[0]]);
  });
  test("an id that the conversation already has is replaced", async () => {
    const messages = [
      {
        role: "assistant" as const,
        parts: [{ type: "tool_call" as const, callId: "call_0" as CallId, name: "Read", input: {} }],
      },
    ];
    const answer = await answerTo(
      [callStart(0, "call_0", "Read"), callMore(0, "{}"), finish("stop")],
      ask({ messages }),
    );
    expect(answer.parts).toMatchObject([{ callId: expect.stringMatching(/^call_\w{24}$/) }]);
  });
  test("input that is not JSON stays text", async () => {
    expect(await calls([{ id: "a", function: { name: "Read", arguments: "{oops" } }])).toMatchObject([
      { input: "{oops" },
    ]);
  });
  test("a call without a name is malformed", async () => {
    const { last } = await read([sse([delta({ tool_calls: [{ index: 0, id: "a" }] }), finish("tool_calls")])]);
    expect(last).toMatchObject({ type: "failed", failure: { kind: "malformed" } });
  });
});

describe("end of an answer", () => {
  test.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
    ["something_new", "end_turn"],
  ])("%s is %s", async (wire, ours) => {
    expect((await answerTo([delta({ content: "x" }), finish(wire)])).stopReason).toBe(ours);
  });

  test("a refusal in text is a refusal", async () => {
    expect(await answerTo([delta({ refusal: "I will not." }), finish("stop")])).toMatchObject({
      stopReason: "refusal",
      parts: [{ type: "text", text: "I will not." }],
    });
  });

  test("does not turn a call cut before its input into a call without input", async () => {
    expect((await answerTo([callStart(0, "a", "Stop"), finish("length")])).parts).toMatchObject([{ input: "" }]);
  });

  test("estimates usage if the server sends none, and uses the last count if it sends several", async () => {
    const estimated = await answerTo([delta({ content: "12345678" }), finish("stop")]);
    expect(estimated.usage).toMatchObject({ outputTokens: 2, cacheReadTokens: 0 });
    expect(estimated.usage.inputTokens).toBeGreaterThan(10);
    const running = { ...delta({ content: "x" }), usage: { prompt_tokens: 7, completion_tokens: 1 } };
    expect((await answerTo([running, running, finish("stop"), usageChunk])).usage).toEqual(usage);
  });
});

describe("broken streams", () => {
  test("without a finish reason have no answer", async () => {
    for (let count = 0; count < 9; count++) {
      const { last } = await read([sse(wholeAnswer.slice(0, count), "")]);
      expect(last, `after ${count} chunks`).toMatchObject({ type: "failed", failure: { kind: "cut" } });
    }
  });

  test.each([
    ["JSON that is none", 'data: {"choices":[{\n\n'],
    ["a chunk in another shape", sse([{ choices: "none" }])],
  ])("with %s are malformed", async (_, body) => {
    expect((await read([body])).last).toMatchObject({ type: "failed", failure: { kind: "malformed" } });
  });

  test.each([
    [{ message: "too many", type: "rate_limit_error" }, "rate_limited"],
    [{ message: "boom", code: 500 }, "server"],
    [{ message: "This model's maximum context length is 4096 tokens" }, "context_overflow"],
  ])("with the error %j are %s", async (error, kind) => {
    const { last } = await read([sse([delta({ content: "half" }), { error }])]);
    expect(last).toMatchObject({ type: "failed", failure: { kind, message: expect.stringContaining(error.message) } });
  });
});
