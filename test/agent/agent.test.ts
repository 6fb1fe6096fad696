import { describe, expect, test } from "vitest";
import { textResult } from "../../src/tool/index.ts";
import { harness, makeTool, step } from "../support/agent/agent-harness.ts";

const gate = () => {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};

/** A tool that signals its start and ends only when the test allows it, even after an abort. */
const slowTool = () => {
  const begun = gate();
  const goOn = gate();
  const tool = makeTool("Slow", "read", async ({ text }) => {
    begun.open();
    await goOn.opened;
    return textResult(text);
  });
  return { tool, begun: begun.opened, goOn: goOn.open };
};

const background = (text: string) => ["background", [{ type: "text", text }]] as const;

describe("interrupt in progress", () => {
  test("a prompt sent during the interrupt gets its own run", async () => {
    const slow = slowTool();
    const { agent, say, model, events } = harness({
      tools: [slow.tool],
      script: { version: 1, steps: [step("", ["Slow", "a"]), { text: "two is answered" }] },
    });
    await say("one");
    await slow.begun;
    const stopping = agent.interrupt();
    await say("two");
    slow.goOn();
    await stopping;
    expect(await agent.settled()).toMatchObject({ reason: "completed", turns: 1 });
    expect(JSON.stringify(model.calls.at(-1)?.ask.request.messages)).toContain("two");
    expect(events().flatMap((event) => (event.type === "agent.idle" ? [event.reason] : []))).toEqual([
      "interrupted",
      "completed",
    ]);
  });

  test("a prompt sent before the interrupt waits for the next prompt", async () => {
    const slow = slowTool();
    const { agent, say, model } = harness({
      tools: [slow.tool],
      script: { version: 1, steps: [step("", ["Slow", "a"]), { text: "too much" }] },
    });
    await say("one");
    await slow.begun;
    await say("two");
    const stopping = agent.interrupt();
    slow.goOn();
    await stopping;
    expect(await agent.settled()).toMatchObject({ reason: "interrupted" });
    expect(model.calls).toHaveLength(1);
  });

  test("with hold, nothing wakes the agent until it is resumed", async () => {
    const { agent, say, model } = harness({ script: { version: 1, steps: [{ text: "heard" }] } });
    await agent.interrupt({ hold: true });
    await say("one");
    expect(agent.running).toBe(false);
    agent.resume();
    expect(await agent.settled()).toMatchObject({ reason: "completed" });
    expect(model.calls).toHaveLength(1);
  });
});

describe("closed agent", () => {
  test("stops the current run and starts no other", async () => {
    const slow = slowTool();
    const { agent, say, model, stored } = harness({
      tools: [slow.tool],
      script: { version: 1, steps: [step("", ["Slow", "a"]), { text: "too late" }] },
    });
    await say("one");
    await slow.begun;
    const closing = agent.close();
    await agent.admit(...background("a task has ended"));
    agent.wake();
    slow.goOn();
    await closing;
    agent.wake();
    agent.resume();
    expect(agent.running).toBe(false);
    expect(await agent.settled()).toMatchObject({ reason: "interrupted" });
    expect(model.calls).toHaveLength(1);
    expect(stored().at(-1)?.event.type).toBe("agent.idle");
    await expect(say("two")).rejects.toMatchObject({ code: "session_closed" });
    expect(await agent.compact()).toMatchObject({ ok: false });
  });

  test("a compaction in progress ends and no run follows", async () => {
    const asked = gate();
    const { agent, run, model } = harness({
      script: {
        version: 1,
        steps: [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "a summary", delayMs: 1 }],
      },
      sink: (sink) => ({
        ...sink,
        record: async (event) => {
          if (event.type === "prompt.admitted" && event.source === "background") asked.open();
          return sink.record(event);
        },
      }),
    });
    for (const text of ["1", "2", "3"]) await run(text);
    const compacting = agent.compact();
    const said = agent.admit(...background("a task has ended"));
    await asked.opened;
    expect(agent.running).toBe(true);
    agent.wake();
    const closing = agent.close();
    await Promise.all([said, compacting, closing]);
    expect(agent.running).toBe(false);
    expect(model.calls.filter(({ ask }) => ask.request.caller.purpose === "answer")).toHaveLength(3);
  });
});

describe("turn limit", () => {
  const endless = { version: 1 as const, rules: [{ answer: step("", ["Echo", "a"]) }] };

  test("keeps counting when something other than the user wakes the agent", async () => {
    const { agent, run, model } = harness({ maxTurns: 2, script: endless });
    await run("go");
    for (const text of ["one has ended", "another has ended"]) {
      await agent.admit(...background(text));
      agent.wake();
      expect(await agent.settled()).toMatchObject({ reason: "limit", turns: 0 });
    }
    expect(model.calls).toHaveLength(2);
  });

  test("restarts the count for a user prompt and on resume", async () => {
    const { agent, run, model } = harness({ maxTurns: 2, script: endless });
    await run("go");
    await run("go on");
    expect(await agent.settled()).toMatchObject({ reason: "limit", turns: 2 });
    expect(model.calls).toHaveLength(4);
    agent.resume();
    expect(await agent.settled()).toMatchObject({ reason: "limit", turns: 2 });
    expect(model.calls).toHaveLength(6);
  });
});
