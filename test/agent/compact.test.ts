import { describe, expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { textResult } from "../../src/tool/index.ts";
import { harness, makeTool, step } from "../support/agent/agent-harness.ts";

const long = makeTool("Long", "read", async () => textResult("word ".repeat(1_000)));

/** Every call in the request is followed by its result, and the first message is the user's. */
function expectWhole(messages: readonly Message[]) {
  expect(messages[0]?.role).toBe("user");
  messages.forEach((message, index) => {
    const calls = message.parts.flatMap((part) => (part.type === "tool_call" ? [part.callId] : []));
    const next = messages[index + 1]?.parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : [])) ?? [];
    if (index < messages.length - 1) expect(next).toEqual(calls);
    const results = message.parts.filter((part) => part.type === "tool_result");
    if (results.length > 0) expect(messages[index - 1]?.role).toBe("assistant");
  });
}

describe("compaction", () => {
  test("near the limit older turns become a summary, calls keep their results, and the run continues", async () => {
    const steps = Array.from({ length: 12 }, (_, n) => step(`step ${n}`, ["Long", String(n)]));
    const { run, model, names } = harness({
      tools: [long],
      script: {
        version: 1,
        model: { contextWindow: 12_000, maxOutputTokens: 1_000 },
        rules: [{ when: { purpose: "compact" }, answer: { text: "SUMMARY {{turn}}" } }],
        steps: [...steps, { text: "finished" }],
      },
    });
    await run("the first words");
    expect(names().filter((name) => name === "context.compacted").length).toBeGreaterThan(0);
    for (const { ask } of model.calls) expectWhole(ask.request.messages);
    const answers = model.calls.filter(({ ask }) => ask.purpose === "answer");
    expect(answers).toHaveLength(13);
    expect(JSON.stringify(answers.at(-1)?.ask.request.messages[0])).toContain("SUMMARY");
    expect(names().at(-1)).toBe("agent.idle");
  });

  test("the summary request starts with the same bytes as the conversation", async () => {
    const { run, model } = harness({
      tools: [long],
      script: {
        version: 1,
        model: { contextWindow: 12_000, maxOutputTokens: 1_000 },
        rules: [{ when: { purpose: "compact" }, answer: { text: "SUMMARY" } }],
        steps: [...Array.from({ length: 8 }, (_, n) => step("", ["Long", String(n)])), { text: "ok" }],
      },
    });
    await run("go");
    const index = model.calls.findIndex(({ ask }) => ask.purpose === "compact");
    const summary = model.calls[index]?.ask.request.messages ?? [];
    const before = model.calls[index - 1]?.ask.request.messages ?? [];
    const shared = Math.min(summary.length, before.length) - 1;
    expect(shared).toBeGreaterThan(0);
    expect(JSON.stringify(summary.slice(0, shared))).toBe(JSON.stringify(before.slice(0, shared)));
  });

  test("a context overflow compacts once and retries; a second one in a row ends the run", async () => {
    const overflow = { fault: { kind: "context_overflow" as const, message: "too long" } };
    const rules = [{ when: { purpose: "compact" as const }, answer: { text: "SUMMARY" } }];
    const once = harness({
      script: {
        version: 1,
        rules,
        steps: [step("", ["Echo", "a"]), step("", ["Echo", "b"]), overflow, { text: "ok" }],
      },
    });
    await once.run("go");
    expect(await once.agent.settled()).toMatchObject({ reason: "completed" });
    expect(once.names().filter((name) => name === "context.compacted")).toHaveLength(1);

    const twice = harness({
      script: { version: 1, rules, steps: [step("", ["Echo", "a"]), step("", ["Echo", "b"]), overflow, overflow] },
    });
    await twice.run("go");
    expect(await twice.agent.settled()).toMatchObject({ reason: "failed", detail: "too long" });
  });

  test("a failed summary leaves the conversation unchanged, with a warning", async () => {
    const fault = { kind: "server" as const, message: "down" };
    const { run, agent, events } = harness({
      tools: [long],
      script: {
        version: 1,
        model: { contextWindow: 9_600, maxOutputTokens: 600 },
        rules: [{ when: { purpose: "compact" }, answer: { fault } }],
        steps: [...Array.from({ length: 7 }, (_, n) => step("", ["Long", String(n)])), { text: "ok" }],
      },
    });
    await run("go");
    expect(events().find((event) => event.type === "notice.raised")).toMatchObject({
      level: "warning",
      message: expect.stringContaining("down"),
    });
    expect((await agent.settled())?.reason).toBe("completed");
  });

  test("can be requested with instructions, but not while the agent works or with nothing to compact", async () => {
    const { run, agent, model } = harness({
      script: {
        version: 1,
        rules: [{ when: { purpose: "compact" }, answer: { text: "SUMMARY" } }],
        steps: [{ text: "hello" }, { text: "again" }],
      },
    });
    expect(await agent.compact()).toEqual({ ok: false, message: expect.stringContaining("nothing") });
    await run("hi");
    expect(await agent.compact("keep the names")).toEqual({ ok: true });
    expect(JSON.stringify(model.calls.at(-1)?.ask.request.messages)).toContain("keep the names");
    await run("and now");
    expect(model.calls.at(-1)?.ask.request.messages).toHaveLength(1);
  });
});
