import { describe, expect, test } from "vitest";
import {
  type AnswerFunction,
  createScriptedModel,
  createTestClock,
  type Script,
  script,
} from "../../../src/testing.ts";
import { ask, called, play, requestWith, settled, user } from "../../support/model/scripted-request.ts";

const clock = createTestClock({ auto: true });
const model = (steps: Script["steps"], rest: Partial<Script> = {}) =>
  createScriptedModel({ version: 1, ...(steps && { steps }), ...rest }, { clock, cwd: "/work" });
const silent: AnswerFunction = ({ said }) => (said === "loud" ? { text: "LOUD" } : undefined);
const hello = requestWith([user("hello")]);

describe("stream", () => {
  test("sends thinking, text and calls in pieces, and the full message at the end", async () => {
    const events = await play(
      model([{ thinking: "hm", text: "one two", chunk: 4, calls: [{ tool: "Read", input: { a: 1 } }] }]),
      hello,
    );
    expect(events).toEqual([
      { type: "thinking.delta", text: "hm" },
      { type: "text.delta", text: "one " },
      { type: "text.delta", text: "two" },
      { type: "tool.delta", name: "Read", inputJson: '{"a"' },
      { type: "tool.delta", name: "Read", inputJson: ":1}" },
      {
        type: "finished",
        answer: {
          parts: [
            { type: "thinking", text: "hm" },
            { type: "text", text: "one two" },
            { type: "tool_call", callId: "call_lead_1_1", name: "Read", input: { a: 1 } },
          ],
          stopReason: "tool_use",
          usage: { inputTokens: expect.any(Number), outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0 },
        },
      },
    ]);
  });

  test("never splits a character", async () => {
    const events = await play(model([{ text: "a😀b", chunk: 2 }]), hello);
    expect(events.flatMap((event) => (event.type === "text.delta" ? [event.text] : []))).toEqual(["a😀", "b"]);
  });

  test("keeps the order of parts, signatures and ids", async () => {
    const parts = [
      { text: "a" },
      { tool: "T", input: "not json", id: "x" },
      { thinking: "t", signature: "s" },
      { redacted: "r" },
      { text: "b" },
    ];
    const last = (await play(model([{ parts, stop: "max_tokens", usage: { outputTokens: 7 } }]), hello)).at(-1);
    expect(last).toMatchObject({
      answer: {
        parts: [
          { type: "text", text: "a" },
          { type: "tool_call", callId: "x", name: "T", input: "not json" },
          { type: "thinking", text: "t", signature: "s" },
          { type: "thinking", text: "", redacted: "r" },
          { type: "text", text: "b" },
        ],
        stopReason: "max_tokens",
        usage: { outputTokens: 7 },
      },
    });
  });

  test("waits by the given clock", async () => {
    const held = createTestClock();
    const slow = createScriptedModel(
      { version: 1, steps: [{ text: "abcd", delayMs: 1000, chunk: 2, chunkDelayMs: 50 }] },
      { clock: held },
    );
    const events = play(slow, hello);
    await new Promise((resolve) => setImmediate(resolve));
    await held.advance(2000);
    expect((await events).at(-1)?.type).toBe("finished");
    expect(held.slept).toEqual([1000, 50]);
  });
});

describe("abort", () => {
  test.each([
    ["before", { text: "never" }, 0],
    ["in a delay", { text: "never", delayMs: 1e9 }, 0],
    ["in a hang", { fault: { kind: "hang" as const } }, 0],
    ["in a hang after two pieces", { text: "abcdef", chunk: 1, fault: { kind: "hang" as const, after: 2 } }, 2],
    ["between pieces", { text: "abcdef", chunk: 1, chunkDelayMs: 1e9 }, 1],
    ["in a function", () => new Promise<undefined>(() => undefined), 0],
  ])("%s ends the stream at once", async (when, answer, pieces) => {
    const held = createTestClock();
    const hanging = createScriptedModel({ version: 1, steps: [answer] }, { clock: held });
    const abort = new AbortController();
    if (when === "before") abort.abort();
    else setImmediate(() => abort.abort());
    const events = await play(hanging, hello, abort.signal);
    expect(events).toHaveLength(pieces + 1);
    expect(events.at(-1)).toMatchObject({ type: "failed", failure: { kind: "aborted" } });
    if (pieces > 0) expect(events.at(-1)).toMatchObject({ usage: { outputTokens: 0 } });
    expect(held.sleeping).toBe(0);
    expect(hanging.calls[0]?.end).toBe("aborted");
  });

  test("ends a long answer that never waits", async () => {
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    const events = await play(model([{ text: "x".repeat(100_000), chunk: 1 }]), hello, abort.signal);
    expect(events.length).toBeLessThan(1000);
    expect(events.at(-1)).toMatchObject({ failure: { kind: "aborted" } });
  });
});

describe("choice of the answer", () => {
  test("conditions", async () => {
    const rules: Script["rules"] = [
      { when: { agent: "lead/*", turn: { from: 2 } }, answer: { text: "late child" } },
      { when: { agent: "lead/**" }, answer: { text: "child" } },
      { when: { type: "explorer" }, answer: { text: "explorer" } },
      { when: { turn: 5 }, answer: { text: "five" } },
      { when: { said: { regex: "^HEL", flags: "i" }, tool: "Read" }, answer: { text: "read {{result}}" } },
      { when: { system: "pirate" }, answer: { text: "arr" } },
      { when: { said: "hello" }, answer: { text: "hello" } },
    ];
    const it = model(undefined, { rules });
    expect(await ask(it, requestWith([user("x")], { agentPath: "lead/a" }))).toBe("child");
    expect(await ask(it, requestWith([user("x")], { agentPath: "lead/a", turn: 2 }))).toBe("late child");
    expect(await ask(it, requestWith([user("x")], { agentPath: "lead/a/b", turn: 2 }))).toBe("child");
    expect(await ask(it, requestWith([user("x")], { agentType: "explorer" }))).toBe("explorer");
    expect(await ask(it, requestWith([user("x")], { turn: 5 }))).toBe("five");
    expect(await ask(it, requestWith([user("Hello"), called("Read", "1"), settled("1", "all")]))).toBe("read all");
    expect(await ask(it, requestWith([user("x")], {}, { system: ["a pirate"] }))).toBe("arr");
    expect(await ask(it, requestWith([user("hello"), called("Bash", "1"), settled("1", "x")]))).toBe("hello");
    expect(await ask(it, requestWith([user("x")]))).toBe(
      'bad_request: script script has no answer for agent lead, turn 1 (last prompt: "x"). Add a rule or a step',
    );
  });

  test("rules come before steps; a function without an answer leaves it to the next", async () => {
    const it = model([() => undefined, { text: "step" }], { rules: [{ times: 1, answer: silent }] });
    expect(await ask(it, requestWith([user("x")]))).toBe("step");
    expect(it.unused()).toEqual(["rules[0] (0 of 1 times)"]);
    expect(await ask(it, requestWith([user("loud")]))).toBe("LOUD");
    expect(await ask(it, requestWith([user("loud")]))).toContain("its list has 2 steps. Add");
    it.assertAllUsed();
  });

  test("a global regular expression starts at the beginning each time", async () => {
    const it = model(undefined, { rules: [{ when: { said: /hello/g }, answer: { text: "yes" } }] });
    expect([await ask(it, hello), await ask(it, hello)]).toEqual(["yes", "yes"]);
  });

  test("concurrent requests never get the same step", async () => {
    const it = model(Array.from({ length: 20 }, (_, index) => ({ text: String(index) })));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(it, hello)));
    expect(new Set(answers).size).toBe(20);
  });

  test("a function sees what happened, and its errors are reported", async () => {
    const it = createScriptedModel(
      script({
        version: 1,
        steps: [
          ({ results, result, cwd }) => ({ text: `${results.length} ${result?.tool} ${result?.text} ${cwd}` }),
          () => {
            throw new Error("oops");
          },
          () => ({ txt: "typo" }) as never,
        ],
      }),
      { clock, cwd: "/work" },
    );
    expect(await ask(it, requestWith([user("x"), called("Read", "1"), settled("1", "all")]))).toBe("1 Read all /work");
    expect(await ask(it, hello)).toBe("bad_request: script script, steps[1]: its function threw: oops");
    expect(await ask(it, hello)).toContain(
      'steps[2]: its function returned an invalid answer: Unrecognized key: "txt"',
    );
  });
});

describe("faults", () => {
  test("a fault for the whole turn fails every attempt, and the next turn works", async () => {
    const it = model([{ fault: { kind: "server", times: "turn" } }, { text: "next" }]);
    expect([await ask(it, hello), await ask(it, hello)]).toEqual([
      "server: the script requested this failure: server",
      "server: the script requested this failure: server",
    ]);
    expect(await ask(it, requestWith([user("hello")], { turn: 2 }))).toBe("next");
    it.assertAllUsed();
  });

  test("faults are counted separately for each agent", async () => {
    const it = model([{ fault: { kind: "overloaded" }, text: "ok" }]);
    const other = requestWith([user("hello")], { agentPath: "lead/a" });
    expect(await ask(it, hello)).toContain("overloaded");
    expect(await ask(it, other)).toContain("overloaded");
    expect([await ask(it, hello), await ask(it, other)]).toEqual(["ok", "ok"]);
  });

  test("a request larger than the context window overflows", async () => {
    const it = model([{ text: "small enough" }], { model: { contextWindow: 1000 } });
    expect(it.contextWindow).toBe(1000);
    expect(await ask(it, requestWith([user("x".repeat(5000))]))).toMatch(
      /^context_overflow: prompt is too long: \d+ tokens > 1000/,
    );
    expect(await ask(it, hello)).toBe("small enough");
  });
});

describe("placeholders", () => {
  test("are filled in calls too, and one without a value is reported", async () => {
    const input = { command: "echo {{said:/(\\w+) (\\w+)/2}}", nested: ["{{agent}}@{{turn}}", "{{cwd}}"] };
    const it = model([{ calls: [{ tool: "Bash", input }] }, { text: "{{result}}" }, { text: "{{said:/zzz/0}}" }]);
    expect(await ask(it, requestWith([user("good morning")]))).toBe(
      'Bash {"command":"echo morning","nested":["lead@1","/work"]}',
    );
    expect(await ask(it, hello)).toBe("bad_request: script script, steps[1]: {{result}} has no value here");
    expect(await ask(it, hello)).toContain('{{said:/zzz/0}} found nothing in: "hello"');
  });

  test("stay plain text when the script says so", async () => {
    expect(await ask(model([{ text: "{{said}} {{nonsense}}" }], { templates: false }), hello)).toBe(
      "{{said}} {{nonsense}}",
    );
  });
});
