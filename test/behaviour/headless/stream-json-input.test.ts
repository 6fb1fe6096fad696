import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";

const flags = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--model", "scripted/s.json"];
const writing = {
  version: 1,
  steps: [
    { calls: [{ tool: "Write", input: { file_path: "out.txt", content: "one" } }] },
    { text: "{{result}}" },
    { text: "second answer" },
  ],
};

test("one command a line; a question is answered on the same stream; end of input ends the run", async () => {
  const { start, write, cwd } = workplace();
  write("s.json", writing);
  const troupe = start(flags);
  troupe.write(JSON.stringify({ type: "prompt", content: "write it", id: "c1" }));
  const asked = await troupe.saw(/"permission\.asked".*\n/);
  const line = asked.split("\n").find((text) => text.includes("permission.asked")) as string;
  const { event } = JSON.parse(line) as { event: { requestId: string; tool: string; question: string } };
  expect(event).toMatchObject({ tool: "Write", question: expect.stringContaining("out.txt") });
  troupe.write(JSON.stringify({ type: "permission.reply", requestId: event.requestId, answer: { behavior: "allow" } }));
  await troupe.saw(/"agent\.idle"/);
  troupe.write(JSON.stringify({ type: "user", message: { role: "user", content: "the way other scripts say it" } }));
  troupe.end();
  const { code, stdout } = await troupe.done;
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe("one");
  expect(stdout).toContain('"command.settled"');
  expect(stdout).toContain("second answer");
});

test("denial with a note reaches the model; a second answer to the same question is refused", async () => {
  const { start, write } = workplace();
  write("s.json", writing);
  const troupe = start(flags);
  troupe.write(JSON.stringify({ type: "prompt", content: "write it" }));
  const asked = await troupe.saw(/"permission\.asked".*\n/);
  const requestId = /ask_\w+/.exec(asked)?.[0] as string;
  const reply = (answer: object) =>
    troupe.write(JSON.stringify({ type: "permission.reply", requestId, answer, id: "r" }));
  reply({ behavior: "deny", message: "not in this folder" });
  reply({ behavior: "allow" });
  troupe.end();
  const { stdout } = await troupe.done;
  expect(stdout).toContain("not in this folder");
  expect(stdout).toContain("no_such_request");
});

test("invalid line is reported with its number and problem, and the next line is read", async () => {
  const { start, write } = workplace();
  write("s.json", { version: 1, steps: [{ text: "still here" }] });
  const troupe = start(flags);
  troupe.write("{ nonsense");
  troupe.write(JSON.stringify({ type: "dance" }));
  troupe.write(JSON.stringify({ type: "interrupt", agent: "lead/missing" }));
  troupe.write(JSON.stringify({ type: "prompt", content: "hello" }));
  troupe.end();
  const { code, stdout, stderr } = await troupe.done;
  expect(stderr).toMatch(/line 1 .*JSON/);
  expect(stderr).toMatch(/line 2 .*not a command/);
  expect(stderr).toContain("lead/missing");
  expect(stdout).toContain("still here");
  expect(code).toBe(1);
});

test("interrupt command stops the turn, and the session continues with the next prompt", async () => {
  const { start, write } = workplace();
  write("s.json", {
    version: 1,
    rules: [{ when: { turn: 1 }, answer: { text: "never ends", chunk: 2, fault: { kind: "hang", after: 2 } } }],
    steps: [{ text: "fresh" }],
  });
  const troupe = start(flags);
  troupe.write(JSON.stringify({ type: "prompt", content: "go" }));
  await troupe.saw(/text\.delta/);
  troupe.write(JSON.stringify({ type: "interrupt" }));
  await troupe.saw(/"reason":"interrupted"/);
  troupe.write(JSON.stringify({ type: "prompt", content: "again" }));
  troupe.end();
  const { code, stdout } = await troupe.done;
  expect(stdout).toContain("fresh");
  expect(code).toBe(0);
});

test("mode and model change during a run; an unknown model changes nothing", async () => {
  const { start, write, cwd } = workplace();
  write("s.json", { version: 1, steps: [{ text: "one" }] });
  write("t.json", {
    version: 1,
    steps: [
      { calls: [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] },
      { text: "by the other model" },
    ],
  });
  const troupe = start(flags);
  troupe.write(JSON.stringify({ type: "prompt", content: "go" }));
  await troupe.saw(/agent\.idle/);
  troupe.write(JSON.stringify({ type: "set", model: "scripted/none.json" }));
  troupe.write(JSON.stringify({ type: "set", model: "scripted/t.json", permissionMode: "acceptEdits" }));
  troupe.write(JSON.stringify({ type: "prompt", content: "go on" }));
  troupe.end();
  const { stdout, stderr } = await troupe.done;
  expect(stderr).toContain("none.json");
  expect(stdout).toContain("by the other model");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("x");
});

test("end of input while a question is open denies the question and ends the run", async () => {
  const { start, write, cwd } = workplace();
  write("s.json", writing);
  const troupe = start(flags);
  troupe.write(JSON.stringify({ type: "prompt", content: "write it" }));
  await troupe.saw(/"permission\.asked"/);
  troupe.end();
  const { code, stdout } = await troupe.done;
  expect(code).toBe(0);
  expect(stdout).toContain("no user is available to give it");
  expect(existsSync(join(cwd, "out.txt"))).toBe(false);
});

test.each([
  { signals: ["SIGTERM"], code: 143 },
  { signals: ["SIGHUP"], code: 129 },
  { signals: ["SIGINT", "SIGINT"], code: 130 },
] as const)("$signals ends the program while its input is still open", async ({ signals, code }) => {
  const { start, write } = workplace();
  write("s.json", { version: 1, steps: [{ text: "one" }] });
  const troupe = start(flags);
  troupe.write(JSON.stringify({ type: "prompt", content: "go" }));
  await troupe.saw(/agent\.idle/);
  for (const [index, signal] of signals.entries()) {
    // Two pending signals count as one, so wait until a later command is answered: then the first signal was handled.
    if (index > 0) {
      troupe.write(JSON.stringify({ type: "permission.abandon", id: "heard" }));
      await troupe.saw(/"commandId":"heard"/);
    }
    troupe.child.kill(signal);
  }
  const ended = await troupe.done;
  expect(ended.code).toBe(code);
  expect(ended.stdout).toContain("session.closed");
});

test("close command ends the program while its input is still open", async () => {
  const { start, write } = workplace();
  write("s.json", { version: 1, steps: [{ text: "one" }] });
  const troupe = start(flags);
  troupe.write(JSON.stringify({ type: "prompt", content: "go" }));
  await troupe.saw(/agent\.idle/);
  troupe.write(JSON.stringify({ type: "close" }));
  expect((await troupe.done).code).toBe(0);
});
