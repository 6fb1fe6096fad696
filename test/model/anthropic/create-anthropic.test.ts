import { describe, expect, test } from "vitest";
import { createAnthropic } from "../../../src/model/anthropic/create-anthropic.ts";
import type { Fetch } from "../../../src/model/watched-fetch.ts";
import type { ModelEvent, Usage } from "../../../src/protocol/index.ts";
import { ask, neverAborted, shownText } from "../../support/model/model-request.ts";
import { fastClock } from "../../support/model/held-clock.ts";
import { fetchOf } from "../../support/model/fetch-from-bytes.ts";
import {
  blockStop,
  jsonDelta,
  messageDelta,
  messageStart,
  messageStop,
  shortAnswer,
  sse,
  textDelta,
  textStart,
  toolStart,
  wholeAnswer,
} from "../../support/model/anthropic-answers.ts";

const attempts = (fetch: Fetch) =>
  createAnthropic({
    endpoint: {
      provider: "anthropic",
      baseUrl: "http://127.0.0.1:9",
      model: "claude-sonnet-5-5",
      secret: "sk-ant-test",
    },
    facts: { contextWindow: 1_000_000, maxOutputTokens: 1000, thinking: "effort" },
    credential: { apiKey: "sk-ant-test" },
    clock: fastClock(),
    fetch,
  });

async function read(pieces: readonly (string | Uint8Array)[]) {
  const events: ModelEvent[] = [];
  let spent: Usage | undefined;
  let signs = 0;
  const context = {
    signal: neverAborted(),
    alive: () => void signs++,
    spent: (usage: Usage) => {
      spent = usage;
    },
  };
  for await (const event of attempts(fetchOf(pieces)).attempt(ask(), context)) events.push(event);
  return { events, spent, signs, last: events.at(-1) };
}

const usage: Usage = { inputTokens: 12, outputTokens: 42, cacheReadTokens: 4000, cacheWriteTokens: 300 };
const whole: ModelEvent = {
  type: "finished",
  answer: {
    parts: [
      { type: "thinking", text: "Hm … 🤔", signature: "c2ln" },
      { type: "thinking", text: "", redacted: "aGlkZGVu" },
      { type: "text", text: "Größe: 日本語 👩‍🚀" },
      { type: "tool_call", callId: "toolu_1" as never, name: "Read", input: { file_path: "/tmp/é.txt" } },
      { type: "tool_call", callId: "toolu_2" as never, name: "List", input: {} },
    ],
    stopReason: "tool_use",
    usage,
  },
};

const ended = async (reason: string | null, blocks: Parameters<typeof sse>[0]) => {
  const { last } = await read([sse([messageStart, ...blocks, messageDelta(reason), messageStop])]);
  if (last?.type !== "finished") throw new Error(`no answer: ${JSON.stringify(last)}`);
  return last.answer;
};

describe("a recorded answer", () => {
  test("is shown as it comes and finished whole", async () => {
    const { events, spent } = await read([sse(wholeAnswer)]);
    expect(events).toEqual([
      { type: "thinking.delta", text: "Hm … 🤔" },
      { type: "text.delta", text: "Größe: " },
      { type: "text.delta", text: "日本語 👩‍🚀" },
      { type: "tool.delta", name: "Read", inputJson: "" },
      { type: "tool.delta", name: "Read", inputJson: '{"file_path":"/tmp/é' },
      { type: "tool.delta", name: "Read", inputJson: '.txt"}' },
      { type: "tool.delta", name: "List", inputJson: "" },
      whole,
    ]);
    expect(spent).toEqual(usage);
  });

  test("is the same cut into two at every byte", async () => {
    const bytes = Buffer.from(sse(wholeAnswer));
    for (let at = 1; at < bytes.length; at++) {
      const { last } = await read([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(last, `cut at byte ${at}`).toEqual(whole);
    }
  });

  test("is the same byte by byte, and every byte is a sign of life", async () => {
    const bytes = Buffer.from(sse(wholeAnswer));
    const { last, signs } = await read(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(last).toEqual(whole);
    expect(signs).toBe(bytes.length + 1);
  });

  test.each([
    ["CRLF", (body: string) => body.replaceAll("\n", "\r\n")],
    ["comments between events", (body: string) => `: hello\n\n${body.replaceAll("\n\n", "\n: still here\n\n")}`],
    ["unknown events and blocks", (body: string) => `${sse([{ type: "weather_report", mood: 1 }])}${body}`],
  ])("is the same with %s", async (_, change) => {
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

describe("unknown parts", () => {
  test("of a later protocol are left out and their deltas with them", async () => {
    const { last } = await read([
      sse([
        messageStart,
        { type: "content_block_start", index: 0, content_block: { type: "dream", depth: 3 } },
        { type: "content_block_delta", index: 0, delta: { type: "dream_delta", depth: 4 } },
        blockStop(0),
        { ...textStart, index: 1 },
        { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: {} } },
        textDelta("ok", 1),
        blockStop(1),
        messageDelta("end_turn"),
        messageStop,
      ]),
    ]);
    expect(last).toMatchObject({ type: "finished", answer: { parts: [{ type: "text", text: "ok" }] } });
  });
});

describe("broken streams", () => {
  test("cut after any event but the last have no answer, and tell what they cost", async () => {
    for (let count = 1; count < wholeAnswer.length; count++) {
      const { last, spent } = await read([sse(wholeAnswer.slice(0, count))]);
      expect(last, `after ${count} events`).toMatchObject({ type: "failed", failure: { kind: "cut" } });
      expect(spent).toMatchObject({ inputTokens: 12, cacheReadTokens: 4000 });
    }
  });

  test.each([
    ["JSON that is none", `event: message_start\ndata: {"type":"message_st\n\n`],
    ["a known event in another shape", sse([messageStart, { type: "content_block_delta", index: "0" }])],
    ["the same index twice", sse([messageStart, textStart, toolStart(0, "a", "Read")])],
    ["more of what was not begun", sse([messageStart, textDelta("x")])],
    ["an unfinished tool call", sse([messageStart, toolStart(0, "a", "Read"), messageDelta("tool_use"), messageStop])],
    ["a tool call without a name", sse([messageStart, toolStart(0, "a", ""), blockStop(), messageStop])],
  ])("with %s are malformed", async (_, body) => {
    const { events, last } = await read([body]);
    expect(last).toMatchObject({ type: "failed", failure: { kind: "malformed" } });
    expect(events.filter((event) => event.type === "failed" || event.type === "finished")).toHaveLength(1);
  });

  test.each([
    ["overloaded_error", "overloaded"],
    ["api_error", "server"],
    ["rate_limit_error", "rate_limited"],
    ["invalid_request_error", "bad_request"],
    ["authentication_error", "authentication"],
    ["new_error", "server"],
  ])("with an error event %s are %s", async (type, kind) => {
    const { last } = await read([
      sse([messageStart, textStart, textDelta("half"), { type: "error", error: { type, message: "No." } }]),
    ]);
    expect(last).toMatchObject({ type: "failed", failure: { kind, message: expect.stringContaining("No.") } });
  });
});

describe("the end of an answer", () => {
  const text = [textStart, textDelta("x"), blockStop()];

  test.each([
    ["end_turn", "end_turn"],
    ["max_tokens", "max_tokens"],
    ["refusal", "refusal"],
    ["stop_sequence", "stop_sequence"],
    ["pause_turn", "max_tokens"],
    ["model_context_window_exceeded", "max_tokens"],
    ["a_new_reason", "end_turn"],
    [null, "end_turn"],
  ])("%s is %s", async (wire, ours) => {
    expect((await ended(wire, text)).stopReason).toBe(ours);
  });

  test("keeps input that is not JSON as the text it is", async () => {
    const { parts } = await ended("max_tokens", [toolStart(0, "a", "Write"), jsonDelta(0, '{"text":"ha'), blockStop()]);
    expect(parts).toEqual([{ type: "tool_call", callId: "a", name: "Write", input: '{"text":"ha' }]);
  });

  test("does not make a call without input of one that was cut before its input", async () => {
    expect((await ended("max_tokens", [toolStart(0, "a", "Stop"), blockStop()])).parts).toMatchObject([{ input: "" }]);
    expect((await ended("tool_use", [toolStart(0, "a", "Stop"), blockStop()])).parts).toMatchObject([{ input: {} }]);
  });

  test("counts usage once, though it is told several times", async () => {
    const { last } = await read([
      sse([messageStart, ...text, messageDelta(null, 10), messageDelta("end_turn", 42), messageStop]),
    ]);
    expect(last).toMatchObject({ answer: { usage } });
  });
});
