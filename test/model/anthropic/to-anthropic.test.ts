import { describe, expect, test } from "vitest";
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages/messages";
import { toAnthropic as write } from "../../../src/model/anthropic/to-anthropic.ts";
import type { CallId, Effort, Message, ModelRequest } from "../../../src/protocol/index.ts";
import { ask } from "../../support/model/model-request.ts";

const model = { id: "claude-sonnet-5-5", thinking: "effort" } as const;
const call = (id: string) => id as CallId;
const mark = { cache_control: { type: "ephemeral" } };

const conversation: readonly Message[] = [
  {
    role: "user",
    parts: [
      { type: "text", text: "look at this" },
      { type: "image", mediaType: "image/png", data: "cG5n" },
      { type: "image", mediaType: "image/tiff", data: "dGlm" },
      { type: "document", mediaType: "application/pdf", name: "a.pdf", data: "cGRm" },
    ],
  },
  {
    role: "assistant",
    parts: [
      { type: "thinking", text: "let me see", signature: "sig" },
      { type: "thinking", text: "", redacted: "hidden" },
      { type: "thinking", text: "of another provider" },
      { type: "text", text: "  " },
      { type: "text", text: "I read." },
      { type: "tool_call", callId: call("call:1"), name: "Read", input: { path: "a" } },
      { type: "tool_call", callId: call("call_2"), name: "Read", input: "{broken" },
    ],
  },
  {
    role: "user",
    parts: [
      { type: "text", text: "and hurry" },
      {
        type: "tool_result",
        callId: call("call:1"),
        isError: false,
        content: [
          { type: "text", text: "" },
          { type: "image", mediaType: "image/jpeg", data: "anBn" },
        ],
      },
      { type: "tool_result", callId: call("call_2"), isError: true, content: [{ type: "text", text: "not JSON" }] },
    ],
  },
];

const full: ModelRequest = ask({
  system: ["You help.", "Be brief."],
  tools: [
    { name: "Read", description: "Reads.", inputSchema: { type: "object", properties: { path: { type: "string" } } } },
    { name: "List", description: "Lists.", inputSchema: { type: "object" } },
  ],
  messages: conversation,
});

const toAnthropic = (...args: Parameters<typeof write>) => JSON.parse(write(...args)) as MessageCreateParamsStreaming;

const bare = (request: ModelRequest) =>
  JSON.stringify(toAnthropic(request, model).messages).replaceAll(',"cache_control":{"type":"ephemeral"}', "");

const params = (thinking: "effort" | "budget" | "none", change: Partial<ModelRequest>) => {
  const body = toAnthropic(ask(change), { id: "m", thinking });
  return { thinking: body.thinking, output_config: body.output_config };
};

describe("request body", () => {
  test("has every kind of part, with cache marks on system, last two user messages and last result", () => {
    expect(toAnthropic(full, model)).toEqual({
      model: "claude-sonnet-5-5",
      max_tokens: 1000,
      stream: true,
      tools: [
        {
          name: "Read",
          description: "Reads.",
          input_schema: { type: "object", properties: { path: { type: "string" } } },
        },
        { name: "List", description: "Lists.", input_schema: { type: "object" } },
      ],
      system: [
        { type: "text", text: "You help." },
        { type: "text", text: "Be brief.", ...mark },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look at this" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "cG5n" } },
            { type: "text", text: "[An image of type image/tiff that this model cannot see.]" },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: "cGRm" },
              title: "a.pdf",
              ...mark,
            },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "let me see", signature: "sig" },
            { type: "redacted_thinking", data: "hidden" },
            { type: "text", text: "I read." },
            { type: "tool_use", id: "call_3a_1", name: "Read", input: { path: "a" } },
            { type: "tool_use", id: "call_2", name: "Read", input: { unparsed: "{broken" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_3a_1",
              content: [{ type: "image", source: { type: "base64", media_type: "image/jpeg", data: "anBn" } }],
            },
            {
              type: "tool_result",
              tool_use_id: "call_2",
              content: [{ type: "text", text: "not JSON" }],
              is_error: true,
              ...mark,
            },
            { type: "text", text: "and hurry", ...mark },
          ],
        },
      ],
    });
  });

  test("has the same bytes for the same request, however the conversation has grown", () => {
    const messages = [...conversation, ...structuredClone(conversation), ...structuredClone(conversation)];
    for (let length = 1; length <= messages.length; length++) {
      const request = { ...full, messages: messages.slice(0, length) };
      expect(write(request, model)).toBe(write(structuredClone(request), model));
      expect(write(request, model)).toBe(JSON.stringify(toAnthropic(request, model)));
    }
  });

  test("keeps the bytes of earlier messages, except for the marks", () => {
    const longer = { ...full, messages: [...conversation, ...conversation] };
    expect(bare(longer).startsWith(bare(full).slice(0, -1))).toBe(true);
  });

  test("has at most four marks, and marks the tools when there is no system prompt", () => {
    const messages = Array.from({ length: 20 }, () => conversation).flat();
    const count = (request: ModelRequest) =>
      JSON.stringify(toAnthropic(request, model)).split("cache_control").length - 1;
    expect(count({ ...full, messages })).toBe(4);
    expect(toAnthropic({ ...full, system: [] }, model).tools?.at(-1)).toMatchObject({ name: "List", ...mark });
  });

  test("leaves out a message without any part that the provider accepts", () => {
    const messages: Message[] = [
      ...ask().messages,
      { role: "assistant", parts: [{ type: "thinking", text: "unsigned" }] },
    ];
    expect(toAnthropic(ask({ messages }), model).messages).toHaveLength(1);
  });
});

describe("thinking", () => {
  const thinks = (effort: Effort, tokens?: number) => ({ thinking: { effort, tokens }, maxOutputTokens: 64_000 });
  test.each([
    ["effort", thinks("high"), { type: "adaptive", display: "summarized" }, { effort: "high" }],
    ["effort", thinks("max"), { type: "adaptive", display: "summarized" }, { effort: "max" }],
    ["effort", thinks("off"), undefined, undefined],
    ["budget", { ...thinks("low"), maxOutputTokens: 16_000 }, { type: "enabled", budget_tokens: 4_096 }, undefined],
    [
      "budget",
      { ...thinks("low", 8_000), maxOutputTokens: 16_000 },
      { type: "enabled", budget_tokens: 8_000 },
      undefined,
    ],
    ["budget", { ...thinks("high"), maxOutputTokens: 4_000 }, { type: "enabled", budget_tokens: 3_999 }, undefined],
    ["budget", { ...thinks("high"), maxOutputTokens: 1_000 }, undefined, undefined],
    ["budget", thinks("off"), undefined, undefined],
    ["none", thinks("high"), undefined, undefined],
    ["effort", {}, undefined, undefined],
  ] as const)("%s with %j", (style, change, ...[thinking, output_config]) => {
    expect(params(style, change)).toEqual({ thinking, output_config });
  });

  test.each([
    [[], false],
    [[{ type: "thinking", text: "unsigned" }], false],
    [[{ type: "thinking", text: "hm", signature: "sig" }], true],
    [[{ type: "thinking", text: "", redacted: "data" }], true],
  ] as const)("a budget between a call and its result needs signed thinking: %j", (before, isSent) => {
    const callId = "call_1" as CallId;
    const messages: Message[] = [
      ...ask().messages,
      { role: "assistant", parts: [...before, { type: "tool_call", callId, name: "Read", input: {} }] },
      { role: "user", parts: [{ type: "tool_result", callId, isError: false, content: [] }] },
    ];
    const { thinking } = params("budget", { ...thinks("low"), messages });
    expect(thinking?.type).toBe(isSent ? "enabled" : undefined);
    const next: Message[] = [
      ...messages,
      { role: "assistant", parts: [{ type: "text", text: "done" }] },
      ...ask().messages,
    ];
    expect(params("budget", { ...thinks("low"), messages: next }).thinking?.type).toBe("enabled");
  });
});
