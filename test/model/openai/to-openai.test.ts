import { describe, expect, test } from "vitest";
import { toOpenAi as write } from "../../../src/model/openai/to-openai.ts";
import type { CallId, ModelRequest } from "../../../src/protocol/index.ts";
import { ask } from "../../support/model/model-request.ts";

const openai = { id: "gpt-5.6-terra", dialect: "openai", thinking: "effort" } as const;
const local = { id: "qwen3", dialect: "compatible", thinking: "none" } as const;
const toOpenAi = (...args: Parameters<typeof write>) => JSON.parse(write(...args)) as unknown;
const call = (id: string) => id as CallId;

const full: ModelRequest = ask({
  system: ["You help.", "Be brief."],
  tools: [{ name: "Read", description: "Reads.", inputSchema: { type: "object", properties: {} } }],
  thinking: { effort: "medium" },
  messages: [
    {
      role: "user",
      parts: [
        { type: "text", text: "look" },
        { type: "text", text: "here" },
      ],
    },
    {
      role: "assistant",
      parts: [
        { type: "thinking", text: "hm", signature: "sig" },
        { type: "text", text: "I read." },
        { type: "tool_call", callId: call("call_1"), name: "Read", input: { path: "a" } },
        { type: "tool_call", callId: call("call_2"), name: "Read", input: "{broken" },
      ],
    },
    {
      role: "user",
      parts: [
        { type: "text", text: "and hurry" },
        {
          type: "tool_result",
          callId: call("call_1"),
          isError: false,
          content: [
            { type: "text", text: "a picture" },
            { type: "image", mediaType: "image/png", data: "cG5n" },
            { type: "document", mediaType: "application/pdf", name: "a.pdf", data: "cGRm" },
          ],
        },
        { type: "tool_result", callId: call("call_2"), isError: true, content: [{ type: "text", text: "not JSON" }] },
      ],
    },
    { role: "assistant", parts: [{ type: "thinking", text: "nothing to say" }] },
  ],
});

const expectedMessages = (document: unknown) => [
  { role: "system", content: "You help.\n\nBe brief." },
  { role: "user", content: "look\n\nhere" },
  {
    role: "assistant",
    content: "I read.",
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } },
      { id: "call_2", type: "function", function: { name: "Read", arguments: '{"unparsed":"{broken"}' } },
    ],
  },
  { role: "tool", tool_call_id: "call_1", content: "a picture" },
  { role: "tool", tool_call_id: "call_2", content: "not JSON" },
  {
    role: "user",
    content: [
      { type: "text", text: "From the result of call_1:" },
      { type: "image_url", image_url: { url: "data:image/png;base64,cG5n" } },
      document,
      { type: "text", text: "and hurry" },
    ],
  },
];
const tools = [
  {
    type: "function",
    function: { name: "Read", description: "Reads.", parameters: { type: "object", properties: {} } },
  },
];

describe("request body", () => {
  test("for the provider itself", () => {
    expect(toOpenAi(full, openai)).toEqual({
      model: "gpt-5.6-terra",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 1000,
      reasoning_effort: "medium",
      tools,
      messages: expectedMessages({
        type: "file",
        file: { filename: "a.pdf", file_data: "data:application/pdf;base64,cGRm" },
      }),
    });
  });

  test("for a compatible server", () => {
    expect(toOpenAi(full, local)).toEqual({
      model: "qwen3",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1000,
      tools,
      messages: expectedMessages({ type: "text", text: "[The document a.pdf that this model cannot read.]" }),
    });
  });

  test("has the same bytes for the same request, and no empty lists", () => {
    const messages = [...full.messages, ...structuredClone(full.messages), ...structuredClone(full.messages)];
    for (let length = 0; length <= messages.length; length++) {
      const request = { ...full, messages: messages.slice(0, length) };
      for (const model of [openai, local]) {
        expect(write(request, model)).toBe(write(structuredClone(request), model));
        expect(write(request, model)).toBe(JSON.stringify(toOpenAi(request, model)));
      }
    }
    expect(toOpenAi(ask({ system: [] }), openai)).toEqual({
      model: "gpt-5.6-terra",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 1000,
      messages: [{ role: "user", content: "hello" }],
    });
  });
});

test.each([
  ["off", "none"],
  ["high", "high"],
  ["max", "xhigh"],
] as const)("effort %s is sent as %s, and only to models that think", (effort, sent) => {
  const request = ask({ thinking: { effort } });
  expect(toOpenAi(request, openai)).toMatchObject({ reasoning_effort: sent });
  expect(toOpenAi(request, local)).not.toHaveProperty("reasoning_effort");
  expect(toOpenAi(request, { ...openai, thinking: "none" })).not.toHaveProperty("reasoning_effort");
});
