import { expect, test } from "vitest";
import { itemsOf, leadOf, toArray } from "../../../src/index.ts";
import { librarySession } from "../../support/session/library-session.ts";
import { leading, mate } from "../../support/team/scripted-team.ts";

test("ask waits for the team and returns the last answer of the lead", async () => {
  const answer = leading([{ calls: [mate("scout")] }, { text: "I wait." }, { text: "All is well." }], () => ({
    text: "The code is fine.",
  }));
  const session = await librarySession(async (ask) => (await answer(ask)) ?? { text: "" }, {
    memory: false,
    team: "alpha",
    permissionMode: "bypassPermissions",
  });
  const reply = await session.ask("Check this repository.");
  expect(reply).toMatchObject({ text: "All is well.", reason: "completed", sessionId: session.id });
  expect(session.backgroundRunning()).toEqual([]);
  expect(reply.turns).toBe(4);
});

test("a reply has usage, cost, turns, duration and denied calls", async () => {
  const write = { tool: "Write", input: { file_path: "b.txt", content: "x" } };
  const session = await librarySession(
    { steps: [{ calls: [write] }, { text: "done" }] },
    { onPermission: async () => ({ behavior: "deny", message: "not here" }) },
  );
  const reply = await session.ask("go");
  expect(reply).toEqual({
    text: "done",
    reason: "completed",
    turns: 2,
    usage: {
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
      cacheReadTokens: expect.any(Number),
      cacheWriteTokens: expect.any(Number),
    },
    costUsd: expect.any(Number),
    durationMs: expect.any(Number),
    sessionId: session.id,
    denials: [{ tool: "Write", callId: expect.any(String), input: write.input }],
    output: undefined,
  });
  expect(reply.usage.outputTokens).toBeGreaterThan(0);
});

test("the numbers of a reply count only its prompt", async () => {
  const session = await librarySession({ steps: [{ text: "one" }, { text: "two" }] });
  const first = await session.ask("go");
  const second = await session.ask("again");
  expect([first.turns, second.turns]).toEqual([1, 1]);
});

test("prompts that are asked at once get their own answers", async () => {
  const session = await librarySession(({ said }) => ({ text: `re ${said}` }));
  const replies = await Promise.all(["one", "two", "three"].map((prompt) => session.ask(prompt)));
  expect(replies.map(({ text }) => text)).toEqual(["re one", "re two", "re three"]);
});

test("a prompt that is refused does not keep the next one from its answer", async () => {
  const session = await librarySession(({ said }) => ({ text: `re ${said}` }));
  const [refused, answered] = await Promise.allSettled([session.ask("/no-such-command"), session.ask("two")]);
  expect(refused).toMatchObject({ status: "rejected", reason: { code: "prompt" } });
  expect(answered).toMatchObject({ status: "fulfilled", value: { text: "re two" } });
});

test("a signal interrupts the lead and rejects with its reason; the session stays usable", async () => {
  const session = await librarySession({
    rules: [{ when: { turn: 1 }, answer: { text: "long long", chunk: 2, fault: { kind: "hang", after: 1 } } }],
    steps: [{ text: "fresh" }],
  });
  const stop = new AbortController();
  const asking = session.ask("go", { signal: stop.signal });
  for await (const { event } of session.events()) if (event.type === "text.delta") break;
  stop.abort(new Error("enough"));
  await expect(asking).rejects.toThrow("enough");
  await expect(session.ask("no", { signal: stop.signal })).rejects.toThrow("enough");
  expect(await session.ask("again")).toMatchObject({ text: "fresh", turns: 1 });
});

test("stream yields the text of the lead and returns the reply", async () => {
  const look = { tool: "Read", input: { file_path: "a.txt" } };
  const session = await librarySession({
    steps: [
      { text: "I look.", chunk: 2, calls: [look] },
      { text: "It says hello.", chunk: 3 },
    ],
  });
  const stream = session.stream("go");
  const texts: string[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) {
      expect(next.value).toMatchObject({ text: "It says hello.", reason: "completed", turns: 2 });
      break;
    }
    texts.push(next.value);
  }
  expect(texts.join("")).toBe("I look.\n\nIt says hello.");
  expect(texts.length).toBeGreaterThan(4);
});

test("a reader that leaves the stream interrupts the lead", async () => {
  const session = await librarySession({
    rules: [{ when: { turn: 1 }, answer: { text: "long long", chunk: 2, fault: { kind: "hang", after: 1 } } }],
    steps: [{ text: "fresh" }],
  });
  for await (const text of session.stream("go")) {
    expect(text).toBe("lo");
    break;
  }
  expect(await session.ask("again")).toMatchObject({ text: "fresh" });
});

test("a session and its view can be disposed and read", async () => {
  const session = await librarySession({ steps: [{ text: "one" }] });
  await session.ask("go");
  expect([...itemsOf(session.view().agents)].map(({ path }) => path)).toEqual(["lead"]);
  expect(toArray(session.view().notices)).toEqual([]);
  expect(leadOf(session.view())?.lastWords).toBe("one");
  await session[Symbol.asyncDispose]();
  await expect(session.ask("too late")).rejects.toMatchObject({
    code: "session_closed",
    message: "the session is closed: open it again with resume",
  });
});
