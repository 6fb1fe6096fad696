import { describe, expect, test } from "vitest";
import { createLedger } from "../../src/agent/index.ts";
import type { Message, StoredEvent } from "../../src/protocol/index.ts";
import { textResult } from "../../src/tool/index.ts";
import { echoTool, harness, makeTool, step } from "../support/agent/agent-harness.ts";

const resultsOf = (events: readonly { type: string }[]) =>
  (events as StoredEvent[]).flatMap((event) =>
    event.type === "tool.settled"
      ? [
          {
            outcome: event.outcome,
            text: event.content.map((part) => (part.type === "text" ? part.text : "")).join(""),
          },
        ]
      : [],
  );

describe("one prompt", () => {
  test("is admitted, promoted and answered; calls run between two turns; events are stored in order", async () => {
    const { run, names, model } = harness({
      script: { version: 1, steps: [step("Looking.", ["Echo", "a"]), { text: "Done." }] },
    });
    await run("go");
    expect(names()).toEqual([
      "prompt.admitted",
      "prompt.promoted",
      "turn.started",
      "cost.recorded",
      "turn.ended",
      "tool.called",
      "tool.settled",
      "turn.started",
      "cost.recorded",
      "turn.ended",
      "agent.idle",
    ]);
    model.assertAllUsed();
  });

  test("requests of one agent share tools, system and all messages but the last, byte for byte", async () => {
    const steps = [
      step("1", ["Echo", "a"], ["Echo", "b"]),
      step("2", ["Echo", "c"]),
      step("3", ["Echo", "d"]),
      { text: "Done." },
    ];
    const { run, model } = harness({ script: { version: 1, steps } });
    await run("go");
    await expect(run("again")).resolves.toBeUndefined(); // the script has ended: this request fails, but it was made
    const bodies = model.calls.map(({ ask }) => ask.request);
    bodies.slice(1).forEach((request, index) => {
      const before = bodies[index];
      expect(JSON.stringify(request.tools)).toBe(JSON.stringify(before?.tools));
      expect(JSON.stringify(request.system)).toBe(JSON.stringify(before?.system));
      const prefix = before?.messages.length ?? 0;
      expect(JSON.stringify(request.messages.slice(0, prefix))).toBe(JSON.stringify(before?.messages));
    });
  });

  test("a prompt sent during a run is in the next request, not after the run", async () => {
    let release = () => {};
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const slow = makeTool("Slow", "run", async () => (await blocked, textResult("slow")));
    const { say, agent, happened, model } = harness({
      tools: [slow],
      script: { version: 1, steps: [step("1", ["Slow", "x"]), { text: "I heard: {{said}}" }] },
    });
    await say("go");
    await happened("tool.called");
    await say("and this");
    release();
    await agent.settled();
    expect(model.calls[1]?.ask.said).toContain("and this");
    expect(model.calls).toHaveLength(2);
  });

  test("a prompt sent at the very end of a run is never lost", async () => {
    for (let after = 1; ; after++) {
      const { agent, envelopes, model, say } = harness({
        script: { version: 1, rules: [{ answer: { text: "ok {{said}}" } }] },
      });
      let said: Promise<unknown> | undefined;
      const push = envelopes.push.bind(envelopes);
      envelopes.push = (...items) => {
        const length = push(...items);
        if (length === after && !said) said = say("second");
        return length;
      };
      await say("first");
      await agent.settled();
      if (!said) return expect(after).toBeGreaterThan(6); // no such event left: all were tried
      await said;
      await agent.settled();
      expect(
        model.calls.some(({ ask }) => ask.said.includes("second")),
        `after event ${after}`,
      ).toBe(true);
    }
  });
});

describe("calls of one answer", () => {
  test("reads run concurrently, other calls run one after another in order", async () => {
    const log: string[] = [];
    let running = 0;
    const traced = (name: string, access: "read" | "write") =>
      makeTool(name, access, async ({ text }) => {
        running += 1;
        log.push(`${text} with ${running - 1} others`);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return textResult(text);
      });
    const { run } = harness({
      tools: [traced("R", "read"), traced("W", "write")],
      script: {
        version: 1,
        steps: [
          step("go", ["R", "r1"], ["R", "r2"], ["R", "r3"], ["W", "w1"], ["W", "w2"], ["R", "r4"]),
          { text: "ok" },
        ],
      },
    });
    await run("go");
    expect(log).toEqual([
      "r1 with 0 others",
      "r2 with 1 others",
      "r3 with 2 others",
      "w1 with 0 others",
      "w2 with 0 others",
      "r4 with 0 others",
    ]);
  });

  test("a throwing tool, an unknown tool, wrong input and broken JSON give results, never a crash", async () => {
    const broken = makeTool("Broken", "read", async () => {
      throw new Error("kaput");
    });
    const calls = [
      { tool: "Broken", input: { text: "x" } },
      { tool: "Nowhere", input: {} },
      { tool: "Echo", input: { text: [7] } },
      { tool: "Echo", input: '{"text": "cut of' },
    ];
    const { run, events, model } = harness({
      tools: [echoTool, broken],
      script: { version: 1, steps: [{ calls }, { text: "ok" }] },
    });
    await run("go");
    const results = resultsOf(events());
    expect(results.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "failed", "failed"]);
    expect(results[0]?.text).toContain("kaput");
    expect(results[1]?.text).toContain("Your tools: Echo, Broken");
    expect(results[2]?.text).toContain("text");
    expect(results[3]?.text.length).toBeGreaterThan(10);
    model.assertAllUsed();
  });

  test("100 calls with the same id each get one result and a unique id", async () => {
    const calls = Array.from({ length: 100 }, (_, n) => ({ tool: "Echo", input: { text: String(n) }, id: "same" }));
    const { run, events, model } = harness({ script: { version: 1, steps: [{ calls }, { text: "ok" }] } });
    await run("go");
    const settled = events().flatMap((event) => (event.type === "tool.settled" ? [event.callId] : []));
    expect(settled).toHaveLength(100);
    expect(new Set(settled).size).toBe(100);
    const last = model.calls[1]?.ask.request.messages.at(-1) as Message;
    expect(last.parts.map((part) => (part.type === "tool_result" ? part.content[0] : part))).toEqual(
      calls.map((call) => ({ type: "text", text: call.input.text })),
    );
  });

  test("a result that is too large is cut, and the full text is saved where the agent can read it", async () => {
    const huge = makeTool("Huge", "read", async () => textResult("x".repeat(200_000)));
    const { run, events, saved } = harness({
      tools: [huge],
      script: { version: 1, steps: [step("", ["Huge", "x"]), { text: "ok" }] },
    });
    await run("go");
    const settled = events().find((event) => event.type === "tool.settled");
    expect(settled).toMatchObject({ savedTo: expect.stringContaining("/saved/") });
    expect(JSON.stringify(settled).length).toBeLessThan(40_000);
    expect([...saved.values()]).toEqual(["x".repeat(200_000)]);
  });

  test("calls of an answer cut at the output limit are not run", async () => {
    let ran = 0;
    const tool = makeTool("T", "run", async () => textResult(String(++ran)));
    const steps = [{ ...step("", ["T", "x"]), stop: "max_tokens" as const }, { text: "ok" }];
    const { run, events } = harness({ tools: [tool], script: { version: 1, steps } });
    await run("go");
    expect(ran).toBe(0);
    expect(resultsOf(events())).toEqual([{ outcome: "failed", text: expect.stringContaining("output limit") }]);
  });
});

describe("permission", () => {
  const ask = () => ({ behavior: "ask" as const, rule: "test", question: "Allow it?", suggestions: ["Echo"] });
  const script = { version: 1 as const, steps: [step("", ["Echo", "a"]), { text: "ok" }] };

  test("a denied call never starts, and the model gets the reason", async () => {
    const deny = () => ({ behavior: "deny" as const, rule: "deny Echo", reason: "the rule Echo forbids it" });
    const { run, events, names } = harness({ script, decide: deny });
    await run("go");
    expect(names()).not.toContain("tool.called");
    expect(resultsOf(events())).toEqual([
      { outcome: "denied", text: expect.stringContaining("the rule Echo forbids it") },
    ]);
  });

  test("a question with no user available is denied, with what the user can do beforehand", async () => {
    const { run, events } = harness({ script, decide: ask });
    await run("go");
    expect(resultsOf(events())).toEqual([
      { outcome: "denied", text: expect.stringContaining('--allowedTools "Echo"') },
    ]);
  });

  test("a question without an answer in time says so, and forbids no other way", async () => {
    const late = async () => ({ behavior: "deny", by: "policy", message: "there was no answer within 600 s" }) as const;
    const { run, events } = harness({ script, decide: ask, answer: late });
    await run("go");
    const [result] = resultsOf(events());
    expect(result?.text).toContain("Not called: Echo a needs permission, and there was no answer within 600 s.");
    expect(result?.text).not.toContain("another way");
  });

  test("a call that is wrong in itself fails and is not denied", async () => {
    const refusal = { cause: "syntax", why: "unterminated double quote", hints: [], rules: [] } as const;
    const wrong = () => ({ behavior: "deny" as const, rule: "syntax", reason: "bash cannot parse this", refusal });
    const { run, events } = harness({ script, decide: wrong });
    await run("go");
    const text = "bash cannot parse this: unterminated double quote. Nothing was run.";
    expect(resultsOf(events())).toEqual([{ outcome: "failed", text }]);
  });

  test("allowed with changed input: the changed input is checked again and runs", async () => {
    const judged: unknown[] = [];
    const { run, events } = harness({
      script,
      decide: (_, input) => (judged.push(input), ask()),
      answer: async () => ({ behavior: "allow", scope: "once", input: { text: "changed" } }),
    });
    await run("go");
    expect(judged).toEqual([{ text: "a" }, { text: "changed" }]);
    expect(resultsOf(events())).toEqual([{ outcome: "ok", text: "changed" }]);
  });

  test("changed input that is denied or invalid does not run", async () => {
    for (const input of [{ text: "evil" }, { wrong: 1 }]) {
      const { run, events } = harness({
        script,
        decide: (_, given) =>
          (given as { text?: string }).text === "evil"
            ? { behavior: "deny", rule: "r", reason: "evil is denied" }
            : ask(),
        answer: async () => ({ behavior: "allow", scope: "once", input }),
      });
      await run("go");
      expect(resultsOf(events()).map(({ outcome }) => outcome)).toEqual(["denied"]);
    }
  });

  test("refused with a comment: the model gets the comment", async () => {
    const { run, events } = harness({
      script,
      decide: ask,
      answer: async () => ({ behavior: "deny", message: "use the other one" }),
    });
    await run("go");
    expect(resultsOf(events())[0]?.text).toContain("use the other one");
  });
});

describe("limits", () => {
  test("the turn limit stops the agent and keeps its work", async () => {
    const { run, agent, names } = harness({
      maxTurns: 2,
      script: { version: 1, rules: [{ answer: step("", ["Echo", "a"]) }] },
    });
    await run("go");
    expect(await agent.settled()).toMatchObject({
      reason: "limit",
      detail: expect.stringContaining("2 turns"),
      turns: 2,
    });
    expect(names().filter((name) => name === "tool.settled")).toHaveLength(2);
  });

  test("the budget is checked before each request: the overshoot is one call", async () => {
    const ledger = createLedger({ maxBudgetUsd: 0.25 });
    const { run, agent, model } = harness({
      ledger,
      costOf: (_, usage) => (usage.outputTokens > 0 ? 0.1 : 0),
      script: { version: 1, rules: [{ answer: step("more", ["Echo", "a"]) }] },
    });
    await run("go");
    expect(await agent.settled()).toMatchObject({ reason: "limit", detail: expect.stringContaining("$0.25") });
    expect(model.calls).toHaveLength(3);
    expect(ledger.spent.usd).toBeCloseTo(0.3);
  });

  test("a model failure ends the run with the provider's error, and the next prompt works", async () => {
    const fault = { kind: "authentication" as const, message: "the key is not valid" };
    const { run, agent, model } = harness({ script: { version: 1, steps: [{ fault }, { text: "better" }] } });
    await run("go");
    expect(await agent.settled()).toMatchObject({ reason: "failed", detail: "the key is not valid" });
    await run("again");
    expect(await agent.settled()).toMatchObject({ reason: "completed" });
    model.assertAllUsed();
  });
});

describe("abort", () => {
  test("during an answer: none of it is executed, and the next prompt tells the model", async () => {
    const { say, agent, happened, names, model } = harness({
      script: {
        version: 1,
        steps: [{ text: "I was going to say", chunk: 4, fault: { kind: "hang", after: 2 } }, { text: "ok" }],
      },
    });
    await say("go");
    await happened("text.delta", 2);
    await agent.interrupt();
    expect(await agent.settled()).toMatchObject({ reason: "interrupted" });
    expect(names()).not.toContain("turn.ended");
    await say("go on");
    await agent.settled();
    expect(model.calls.at(-1)?.ask.said).toContain("go on");
    expect(JSON.stringify(model.calls.at(-1)?.ask.request.messages)).toContain("interrupted");
  });

  test("during a call: it and the calls behind it are closed, and the log stays valid", async () => {
    const hanging = makeTool(
      "Hang",
      "run",
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    const { say, agent, happened, events, model } = harness({
      tools: [hanging, echoTool],
      script: { version: 1, steps: [step("", ["Hang", "a"], ["Echo", "b"]), { text: "ok" }] },
    });
    await say("go");
    await happened("tool.called");
    await agent.interrupt();
    expect(resultsOf(events()).map(({ outcome }) => outcome)).toEqual(["interrupted", "interrupted"]);
    await say("go on");
    await agent.settled();
    model.assertAllUsed();
  });

  test("during a permission question: it is settled, and nothing runs", async () => {
    const { say, agent, happened, events, names } = harness({
      script: { version: 1, steps: [step("", ["Echo", "a"])] },
      decide: () => ({ behavior: "ask", rule: "r", question: "?", suggestions: [] }),
      answer: () => new Promise(() => undefined),
    });
    await say("go");
    await happened("permission.asked");
    await agent.interrupt();
    expect(events().find((event) => event.type === "permission.settled")).toMatchObject({
      behavior: "deny",
      by: "interrupt",
    });
    expect(names()).not.toContain("tool.called");
  });
});

describe("agent interrupted by the end of its process", () => {
  test("an open call that started an agent points to the notice about that agent", async () => {
    const tools = [makeTool("Agent", "run", async () => textResult("done"))];
    const first = harness({ tools, script: { version: 1, steps: [step("", ["Agent", "a"]), { text: "x" }] } });
    await first.run("go");
    const log = first.stored();
    const cut = log.findIndex(({ event }) => event.type === "tool.called") + 1;
    const second = harness({ tools, log: log.slice(0, cut), script: { version: 1, steps: [{ text: "I see." }] } });
    await second.agent.closeOpenCalls();
    const [result] = resultsOf(second.stored().map(({ event }) => event));
    expect(result?.text).toContain("A notice says how far it came");
  });

  test("open calls are reported as unknown or never run, none is repeated, and the agent continues", async () => {
    let ran = 0;
    const tool = makeTool("T", "run", async () => textResult(String(++ran)));
    const first = harness({
      tools: [tool],
      script: { version: 1, steps: [step("", ["T", "a"], ["T", "b"], ["T", "c"]), { text: "x" }] },
    });
    await first.run("go");
    const log = first.stored();
    const cut = log.findIndex(({ event }) => event.type === "tool.called" && event.title === "T b") + 1;
    ran = 0;
    const second = harness({
      tools: [tool],
      log: log.slice(0, cut),
      script: { version: 1, steps: [{ text: "I see." }] },
    });
    expect(await second.agent.closeOpenCalls()).toBe(2);
    second.agent.wake();
    await second.agent.settled();
    expect(ran).toBe(0);
    const results = resultsOf(second.stored().map(({ event }) => event)).map(({ text }) => text);
    expect(results[0]).toBe("1");
    expect(results[1]).toContain("Unknown outcome");
    expect(results[2]).toContain("Not run");
    second.model.assertAllUsed();
  });
});
