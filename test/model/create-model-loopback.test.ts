import { afterEach, expect, test } from "vitest";
import { createModel } from "../../src/model/create-model.ts";
import { createGateRegistry } from "../../src/model/gate.ts";
import type { Message } from "../../src/protocol/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing.ts";
import { ask, collect } from "../support/model/model-request.ts";
import { fastClock } from "../support/model/held-clock.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test.each(["anthropic/claude-sonnet-5-5", "openai/gpt-5.6-terra", "local/any"])(
  "%s: a conversation with a tool, over the wire and back",
  async (ref) => {
    const server = await startModelServer({
      script: {
        version: 1,
        steps: [
          { text: "I look.", calls: [{ tool: "Read", input: { path: "a.txt" } }] },
          { text: "It says {{result}}." },
        ],
      },
    });
    servers.push(server);
    const clock = fastClock();
    const model = await createModel({
      ref,
      env: {
        anthropicKey: "k",
        anthropicBaseUrl: server.anthropicBaseUrl,
        openaiKey: "k",
        openaiBaseUrl: server.openaiBaseUrl,
        localBaseUrl: server.openaiBaseUrl,
      },
      gates: createGateRegistry(clock),
      clock,
      random: () => 0.5,
      retry: { stallMs: 0 },
    });
    const tools = [{ name: "Read", description: "Reads.", inputSchema: { type: "object", properties: {} } }];
    const first = (await collect(model, ask({ tools }))).at(-1);
    if (first?.type !== "finished") throw new Error(JSON.stringify(first));
    const call = first.answer.parts.find((part) => part.type === "tool_call");
    expect(first.answer).toMatchObject({
      stopReason: "tool_use",
      parts: [
        { type: "text", text: "I look." },
        { name: "Read", input: { path: "a.txt" } },
      ],
    });
    if (!call) throw new Error("no call");
    const messages: Message[] = [
      ...ask().messages,
      { role: "assistant", parts: first.answer.parts },
      {
        role: "user",
        parts: [{ type: "tool_result", callId: call.callId, isError: false, content: [{ type: "text", text: "42" }] }],
      },
    ];
    const second = (await collect(model, ask({ tools, messages }))).at(-1);
    expect(second).toMatchObject({
      type: "finished",
      answer: { stopReason: "end_turn", parts: [{ type: "text", text: "It says 42." }] },
    });
    expect(server.unused()).toEqual([]);
  },
);
