import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import { createStallWatchdog, waitForStall, type StallWatchdogOptions } from "../../../src/team/index.ts";
import { anyEvents, callId, failure, prompted, requestId, spawned } from "../../support/view/sample-envelopes.ts";

function watch(options: Omit<Partial<StallWatchdogOptions>, "clock"> = {}) {
  const clock = createTestClock();
  const settings = { startMs: 10_000, modelMs: 20_000, toolMs: 30_000 };
  const watchdog = createStallWatchdog({ clock, settings, ...options });
  return {
    clock,
    watchdog,
    hear: (...events: Event[]) => events.forEach((event) => watchdog.observe(event)),
    async after(ms: number) {
      await clock.advance(ms);
      return watchdog.verdict();
    },
  };
}

const asked: Event = { type: "turn.started", turn: 1, model: "a/b" };
const said: Event = { type: "text.delta", turn: 1, text: "so" };
const answered: Event = {
  type: "turn.ended",
  turn: 1,
  parts: [],
  stopReason: "tool_use",
  contextTokens: 1,
  durationMs: 1,
};
const called = (id = "c1", name = "Bash", title = "$ npm test"): Event => ({
  type: "tool.called",
  turn: 1,
  callId: callId(id),
  name,
  input: {},
  title,
});
const progress: Event = { type: "tool.progress", callId: callId("c1"), text: "." };
const settled = (id = "c1"): Event => ({
  type: "tool.settled",
  callId: callId(id),
  durationMs: 1,
  outcome: "ok",
  content: [],
});
const question: Event = {
  type: "permission.asked",
  requestId: requestId(1),
  callId: callId("c1"),
  tool: "Bash",
  input: {},
  question: "May I?",
  suggestions: [],
};

describe("start", () => {
  test("no first request in time", async () => {
    const { hear, after } = watch();
    hear(spawned("lead/a"));
    expect(await after(9_999)).toBeUndefined();
    expect(await after(1)).toEqual({
      kind: "start",
      silentMs: 10_000,
      message: "no sign of life for 10 s: it was started but has not begun",
    });
  });

  test("once it works, the start is over", async () => {
    const { hear, after } = watch();
    hear(spawned("lead/a"), ...prompted(1, "go"), asked);
    expect(await after(10_000)).toBeUndefined();
  });
});

describe("model", () => {
  test("silence is late, whatever came before", async () => {
    const { hear, after } = watch();
    hear(asked);
    expect(await after(19_000)).toBeUndefined();
    hear(said);
    expect(await after(19_000)).toBeUndefined();
    expect(await after(1_000)).toMatchObject({
      kind: "model",
      message: "no sign of life for 20 s: its model a/b answers, but nothing arrives",
    });
  });

  test("a retry adds its delay, a queue has a separate limit", async () => {
    const { hear, after } = watch();
    hear(asked, { type: "turn.retried", turn: 1, attempt: 2, delayMs: 15_000, failure });
    expect(await after(34_999)).toBeUndefined();
    hear({ type: "turn.waiting", turn: 1, reason: "a rate limit" });
    expect(await after(600_000)).toBeUndefined();
    hear(said);
    expect(await after(20_000)).toMatchObject({ kind: "model" });
  });

  test("never aborts before the model layer has had its own retries", async () => {
    const { hear, after } = watch({ stallMs: 60_000 });
    hear(asked);
    expect(await after(119_999)).toBeUndefined();
    expect(await after(1)).toMatchObject({ kind: "model" });
  });
});

describe("tool", () => {
  test("no end and no progress", async () => {
    const { hear, after } = watch();
    hear(asked, answered, called());
    expect(await after(29_999)).toBeUndefined();
    hear(progress);
    expect(await after(29_999)).toBeUndefined();
    expect(await after(1)).toEqual({
      kind: "tool",
      silentMs: 30_000,
      message: 'no sign of life for 30 s: the call "$ npm test" has neither ended nor shown progress',
    });
  });

  test("each call is watched separately", async () => {
    const { hear, after } = watch();
    hear(asked, answered, called("c1"), called("c2", "Read", "Read a.ts"));
    await after(20_000);
    hear(progress);
    expect(await after(10_000)).toMatchObject({ message: expect.stringContaining("Read a.ts") });
    hear(settled("c2"));
    expect(await after(19_999)).toBeUndefined();
    expect(await after(1)).toMatchObject({ kind: "tool" });
  });

  test("a call that waits for an agent may wait: that agent is watched itself", async () => {
    const { hear, after, watchdog } = watch({ mayBeSilent: (name) => name === "Agent" });
    hear(asked, answered, called("c1", "Agent", "Agent explore"));
    expect(await after(10_000_000)).toBeUndefined();
    expect(watchdog.dueInMs()).toBeUndefined();
  });

  test("nothing at all after an answer is noticed too", async () => {
    const { hear, after } = watch();
    hear(asked, answered);
    expect(await after(30_000)).toMatchObject({ kind: "between" });
  });
});

describe("no deadline", () => {
  test("for an agent that waits for a user", async () => {
    const { hear, after } = watch();
    hear(asked, answered, question);
    expect(await after(10_000_000)).toBeUndefined();
    hear({ type: "permission.settled", requestId: requestId(1), behavior: "allow", by: "user" }, called());
    expect(await after(30_000)).toMatchObject({ kind: "tool" });
  });

  test("for an idle agent, until it gets a message", async () => {
    const { hear, after } = watch();
    hear(asked, answered, called(), { type: "agent.idle", reason: "interrupted" });
    expect(await after(10_000_000)).toBeUndefined();
    hear(...prompted(2, "go on"));
    expect(await after(30_000)).toMatchObject({ kind: "between" });
  });
});

test("watching ends with the verdict or with its signal", async () => {
  const { hear, watchdog, clock } = watch();
  hear(asked);
  const verdict = waitForStall(watchdog, clock, new AbortController().signal);
  await clock.advance(15_000);
  hear(said);
  await clock.advance(19_000);
  expect(watchdog.verdict()).toBeUndefined();
  await clock.advance(2_000);
  expect(await verdict).toMatchObject({ kind: "model" });
  const abort = new AbortController();
  hear(said);
  const ended = waitForStall(watchdog, clock, abort.signal);
  abort.abort(new Error("the agent has ended"));
  await expect(ended).rejects.toThrow("the agent has ended");
  expect(clock.sleeping).toBe(0);
});

test("property: a verdict comes exactly when it is due", async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, async (events) => {
      const { watchdog, clock } = watch();
      for (const [, event] of events) watchdog.observe(event);
      const due = watchdog.dueInMs();
      if (due === undefined) {
        await clock.advance(1e9);
        expect(watchdog.verdict()).toBeUndefined();
        return;
      }
      expect(due).toBeGreaterThan(0);
      await clock.advance(due - 1);
      expect(watchdog.verdict()).toBeUndefined();
      await clock.advance(1);
      expect(watchdog.verdict()).toBeDefined();
    }),
    { numRuns: 200 },
  );
});
