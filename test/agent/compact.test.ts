import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Event, Message } from "../../src/protocol/index.ts";
import type { Answer, Ask, Script } from "../../src/testing.ts";
import { defineTool, textResult } from "../../src/tool/index.ts";
import { harness, makeTool, step } from "../support/agent/agent-harness.ts";

/** Enough text for a summary of these conversations. */
const facts = "of what was done, with the names of files and the results of commands. ".repeat(4).trim();
const long = makeTool("Long", "read", async () => textResult("word ".repeat(1_000)));

const bash = defineTool({
  name: "Bash",
  description: "Runs a command.",
  input: z.object({ command: z.string() }),
  access: "run",
  subject: () => ({ kind: "none" }),
  title: ({ command }) => command,
  execute: async () => textResult("ok"),
});
const edit = defineTool({
  name: "Edit",
  description: "Changes a file.",
  input: z.object({ file_path: z.string() }),
  access: "write",
  subject: () => ({ kind: "none" }),
  title: ({ file_path }) => file_path,
  execute: async () => textResult("ok"),
});
const good = `I have indexed the functions of src/a.ts. ${facts}`;

/** An agent that works until its conversation is compacted once. `summary` answers each request for one. */
const filling = (summary: () => Answer): Script => {
  const steps = [
    { calls: [{ tool: "Edit", input: { file_path: "src/a.ts" } }] },
    { calls: [{ tool: "Bash", input: { command: "npm test" } }] },
    ...Array.from({ length: 8 }, (_, n) => step(`step ${n}`, ["Long", String(n)])),
  ];
  const answer = ({ purpose, turn }: Ask) =>
    purpose === "compact" ? summary() : (steps[turn - 1] ?? { text: "finished" });
  return { version: 1, model: { contextWindow: 12_000, maxOutputTokens: 1_000 }, rules: [{ answer }] };
};
const compactions = (events: () => Event[]) => events().filter((event) => event.type === "context.compacted");
const notices = (events: () => Event[]) =>
  events().flatMap((event) => (event.type === "notice.raised" ? [event.message] : []));

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
        rules: [{ when: { purpose: "compact" }, answer: { text: `SUMMARY {{turn}} ${facts}` } }],
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
        rules: [{ when: { purpose: "compact" }, answer: { text: `SUMMARY ${facts}` } }],
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
    const rules = [{ when: { purpose: "compact" as const }, answer: { text: `SUMMARY ${facts}` } }];
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
        rules: [{ when: { purpose: "compact" }, answer: { text: `SUMMARY ${facts}` } }],
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

  const useless = [
    ["an empty one", {}],
    ["one that says only that it is done", { text: "INDEX.md is complete." }],
    ["one that is far too short", { text: "I did some steps." }],
    ["a refusal", { text: "I'm sorry, but I can't help with that." }],
    ["a tool call", step("Let me look.", ["Long", "x"])],
  ] as const;

  test.each(useless)("%s is asked for once more, with the reason, and the second one counts", async (_, poor) => {
    let asked = 0;
    const { run, model, events } = harness({
      tools: [long],
      script: filling(() => (asked++ === 0 ? poor : { text: good })),
    });
    await run("index all functions");
    const requests = model.calls.filter(({ ask }) => ask.purpose === "compact");
    expect(requests).toHaveLength(2);
    expect(requests[1]?.ask.said).toContain("Your last answer was refused as a summary: it ");
    expect(compactions(events)).toMatchObject([{ summary: good }]);
    expect(notices(events)).toEqual([]);
  });

  test.each(useless)("%s twice is replaced by a list of files and commands, with a notice", async (_, poor) => {
    const { run, model, events } = harness({ tools: [long, bash, edit], script: filling(() => poor) });
    await run("index all functions");
    expect(model.calls.filter(({ ask }) => ask.purpose === "compact")).toHaveLength(2);
    const [compacted] = compactions(events);
    expect(compacted?.summary).toContain("Files that you changed, newest last:\n- src/a.ts");
    expect(compacted?.summary).toContain("Commands that you ran, newest last:\n- npm test");
    expect(compacted?.summary).toContain("Your last words:\n");
    expect(notices(events)).toEqual([expect.stringContaining("the model wrote no usable summary (it ")]);
    expect(events().at(-1)).toMatchObject({ type: "agent.idle", reason: "completed" });
  });

  test("list instead of a second summary keeps the text of the first", async () => {
    let asked = 0;
    const { run, agent, events } = harness({
      tools: [long, bash, edit],
      script: filling(() => (asked++ === 0 ? { text: good } : {})),
    });
    await run("index all functions");
    await run("go on");
    expect(await agent.compact()).toEqual({ ok: true });
    expect(compactions(events).at(-1)?.summary).toContain(`The summary of the time before:\n${good}`);
  });

  test("conversation that cannot even be sent for a summary is replaced by a list", async () => {
    const overflow = { fault: { kind: "context_overflow" as const, message: "too long" } };
    const { run, agent, events } = harness({
      script: {
        version: 1,
        rules: [{ when: { purpose: "compact" }, answer: overflow }],
        steps: [step("", ["Echo", "a"]), step("", ["Echo", "b"]), overflow, { text: "ok" }],
      },
    });
    await run("go");
    expect(await agent.settled()).toMatchObject({ reason: "completed" });
    expect(compactions(events)).toHaveLength(1);
  });

  test("the request says truthfully which turns stay", async () => {
    const { run, model } = harness({ tools: [long, bash, edit], script: filling(() => ({ text: good })) });
    await run("index all functions");
    const during = model.calls.find(({ ask }) => ask.purpose === "compact")?.ask.said;
    expect(during).toContain(
      "Your newest calls and their results are not shown here: they follow the summary unchanged.",
    );
    const after = model.calls.at(-1)?.ask.request.messages[0];
    expect(JSON.stringify(after)).toContain("Your newest calls and their results follow it unchanged.");

    const short = harness({ script: { version: 1, rules: [{ answer: { text: "hello" } }] } });
    await short.run("hi");
    await short.agent.compact();
    expect(short.model.calls.at(-1)?.ask.said).toContain("replaces everything above, and you continue from it.");
  });
});
