import { expect, test } from "vitest";
import { createConversation } from "../../src/agent/index.ts";
import { createIdFactory, systemClock } from "../../src/platform/index.ts";
import type { CallId, ContentPart, PromptId, StoredEvent } from "../../src/protocol/index.ts";
import { heldBytes } from "../support/processes/held-bytes.ts";
import { harness, step } from "../support/agent/agent-harness.ts";

const text = (words: string): ContentPart[] => [{ type: "text", text: words }];

test("memory of a regularly compacted conversation does not grow with its length", () => {
  const createId = createIdFactory(systemClock);
  const conversation = createConversation();
  let turn = 0;
  const goOn = (count: number) => {
    for (let i = 0; i < count; i++) for (const event of round()) conversation.apply(event);
    return heldBytes();
  };
  const round = (): StoredEvent[] => {
    const promptId = createId<string>("prm").replace("prm_", "prm_m") as PromptId;
    const callId = createId<CallId>("call");
    turn += 1;
    return [
      { type: "prompt.admitted", promptId, source: "mail", parts: text("hello") },
      { type: "prompt.promoted", promptId },
      { type: "turn.started", turn, model: "test/model" },
      {
        type: "turn.ended",
        turn,
        parts: [{ type: "tool_call", callId, name: "Echo", input: {} }],
        stopReason: "tool_use",
        contextTokens: 100,
        durationMs: 1,
      },
      { type: "tool.called", turn, callId, name: "Echo", input: {}, title: "Echo" },
      { type: "tool.settled", callId, outcome: "ok", content: text("hello"), durationMs: 1 },
      ...(turn % 50 === 0 ? [compacted] : []),
    ];
  };
  const few = goOn(2_000);
  expect(goOn(20_000) - few).toBeLessThan(500_000);
});

const compacted: StoredEvent = {
  type: "context.compacted",
  summary: "much was said",
  keptFromTurn: null,
  trigger: "limit",
  tokensBefore: 100,
};

test("a prompt is admitted once, however long ago that was", async () => {
  const { agent, names } = harness({ script: { version: 1, steps: [] } });
  const createId = createIdFactory(systemClock);
  const ids = Array.from({ length: 300 }, () => createId<string>("prm").replace("prm_", "prm_m") as PromptId);
  const admit = async (promptId: PromptId) => agent.admitOnce({ promptId, source: "mail", parts: text("hello") });
  const [late, ...others] = ids;
  for (const id of others) await admit(id);
  expect(await agent.hasPrompt(late as PromptId)).toBe(false);
  for (const id of others) await admit(id);
  expect(names()).toHaveLength(others.length);
  await admit(late as PromptId);
  await admit(late as PromptId);
  expect(names()).toHaveLength(ids.length);
  for (const id of ids) expect(await agent.hasPrompt(id)).toBe(true);
});

test("a call id that a model repeats is replaced, however long ago it was used", async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `call_${index}`);
  const again = ids.map((id) => ({ calls: [{ tool: "Echo", input: { text: "hi" }, id }] }));
  const { events, run } = harness({ script: { version: 1, steps: [...again, ...again, step("done")] } });
  await run("go");
  const calls = events().flatMap((event) => (event.type === "tool.called" ? [event.callId] : []));
  expect(calls.slice(0, ids.length)).toEqual(ids);
  expect(new Set(calls).size).toBe(2 * ids.length);
});
