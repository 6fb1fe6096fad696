import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScriptedModel, loadScriptedModel } from "../../../src/testing.ts";
import { createTestClock } from "../../../src/testing.ts";
import { ask, called, play, requestWith, settled, user } from "../../support/model/scripted-request.ts";

const clock = createTestClock({ auto: true });
let folder: string;
let examples: Map<string, string[]>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-script-"));
  const text = await readFile(new URL("../../../docs/reference/script-format.md", import.meta.url), "utf8");
  examples = new Map();
  for (const [, language = "", code = ""] of text.matchAll(/```(\w+)\n(.*?)```/gs)) {
    examples.set(language, [...(examples.get(language) ?? []), code]);
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function example(language: string, index: number) {
  const file = join(folder, `example-${index}.${language === "js" ? "mjs" : language}`);
  await writeFile(file, examples.get(language)?.[index] ?? "");
  return loadScriptedModel(file, { clock, cwd: folder });
}

test("steps: a list of answers", async () => {
  const model = await example("json", 0);
  expect(await ask(model, requestWith([user("hi")]))).toBe('I look first. | Read {"file_path":"notes.txt"}');
  const talk = [user("hi"), called("Read", "c1"), settled("c1", "milk")];
  expect(await ask(model, requestWith(talk, { turn: 2 }))).toBe("The file says: milk");
  model.assertAllUsed();
});

test("steps by agent path and pattern", async () => {
  const model = await example("json", 1);
  expect(await ask(model, requestWith([user("hi")]))).toBe("I lead.");
  expect(await ask(model, requestWith([user("hi")], { agentPath: "lead/a" }))).toBe("I am lead/a.");
  expect(await ask(model, requestWith([user("hi")], { agentPath: "lead/b" }))).toBe("I am lead/b.");
  expect(await ask(model, requestWith([user("hi")], { agentPath: "lead/b/c" }))).toContain(
    "has no answer for agent lead/b/c, turn 1",
  );
  model.assertAllUsed();
});

test("rules: answers by what happened", async () => {
  const model = await example("json", 2);
  expect(await ask(model, requestWith([user("hello")], { turn: 3 }))).toBe("Hello from turn 3.");
  expect(await ask(model, requestWith([user("hello")], { turn: 4 }))).toBe("You said: hello");
  const talk = [user("hello"), called("Bash", "c1"), settled("c1", "17 failed, 3 passed")];
  expect(await ask(model, requestWith(talk))).toBe("17 to fix.");
  expect(await ask(model, requestWith([user("x")], { purpose: "compact" }))).toBe("We said hello.");
});

test("faults", async () => {
  const model = await example("json", 3);
  const request = requestWith([user("hi")]);
  for (let attempt = 0; attempt < 2; attempt++) {
    expect((await play(model, request)).at(-1)).toMatchObject({
      failure: { kind: "rate_limited", retryAfterMs: 2000, status: 429 },
    });
  }
  expect(await ask(model, request)).toBe("Third time lucky.");
  const broken = await play(model, request);
  expect(broken.slice(0, 2).map((event) => "text" in event && event.text)).toEqual(["This sente", "nce breaks"]);
  expect(broken.slice(2)).toMatchObject([{ type: "failed", failure: { kind: "cut" }, usage: { outputTokens: 0 } }]);
  expect(await ask(model, request)).toBe("This sentence breaks off once, and then arrives whole.");
  expect(await ask(model, request)).toBe("authentication: the key is not valid");
  model.assertAllUsed();
});

test("a function as a script", async () => {
  const model = await example("js", 0);
  expect(await ask(model, requestWith([user("hi")], { turn: 2 }))).toBe('Bash {"command":"echo 2"}');
  expect(await ask(model, requestWith([user("hi")], { turn: 4 }))).toBe("Enough.");
});

test("in tests: calls are kept, and unused steps are reported", async () => {
  const model = createScriptedModel({ version: 1, steps: [{ text: "Hi." }, { text: "Bye." }] }, { clock });
  expect(() => model.assertAllUsed()).toThrow("script script did not run to its end. Not used: steps[0…1]");
  await ask(model, requestWith([user("hi")]));
  expect(model.calls).toMatchObject([{ ask: { agent: "lead", said: "hi" }, source: "steps[0]", end: "finished" }]);
  expect(Object.isFrozen(model.calls[0])).toBe(true);
  expect(model.unused()).toEqual(["steps[1] of lead"]);
});
