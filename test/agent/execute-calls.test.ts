import { expect, test } from "vitest";
import { failedResult, textResult } from "../../src/tool/index.ts";
import { echoTool, harness, makeTool, step } from "../support/agent/agent-harness.ts";

const ask = () => ({ behavior: "ask" as const, rule: "test", question: "Allow it?", suggestions: ["Echo"] });
const script = { version: 1 as const, steps: [step("", ["Echo", "a"]), { text: "ok" }] };

test("a refused call stores its reason alone, each once, for reports", async () => {
  const parts = [
    { part: "`node -e 'f(1)'`", why: "node runs any code it is given" },
    { part: "`node x`", why: "node runs any code it is given" },
    { part: "`npm i`", why: "no rule allows npm" },
  ];
  const refusal = { cause: "permission", why: parts[0]?.why, parts, hints: [], rules: [] } as const;
  const { run, events } = harness({ script, decide: () => ({ ...ask(), refusal }) });
  await run("go");
  expect(events().find((event) => event.type === "tool.settled")).toMatchObject({
    outcome: "denied",
    reason: "node runs any code it is given; no rule allows npm",
  });
});

test("the result of a change outside the working directory says so", async () => {
  const decide = () => ({ behavior: "allow", rule: "allow Echo", outside: "/work" }) as const;
  const { run, events } = harness({ tools: [echoTool], script, decide });
  await run("go");
  expect(events().find((event) => event.type === "tool.settled")).toMatchObject({
    content: [{ text: "a" }, { text: "[This file is outside the working directory /work.]" }],
  });
});

test("after a failed change only reads and other changes of the same answer run", async () => {
  const ran: string[] = [];
  const edit = makeTool("Edit", "write", async ({ text }) => {
    ran.push(`Edit ${text}`);
    return text === "wrong" ? failedResult("not found") : textResult("changed");
  });
  const bash = makeTool("Bash", "run", async ({ text }) => {
    ran.push(`Bash ${text}`);
    return textResult("");
  });
  const steps = [
    step("", ["Bash", "before"], ["Edit", "wrong"], ["Edit", "right"], ["Echo", "look"], ["Bash", "commit"]),
    step("", ["Edit", undefined], ["Bash", "complete"]),
    step("", ["Bash", "again"]),
    { text: "ok" },
  ];
  const { run, events } = harness({ tools: [echoTool, edit, bash], script: { version: 1, steps } });
  await run("go");
  expect(ran).toEqual(["Bash before", "Edit wrong", "Edit right", "Bash again"]);
  const outcomes = events().flatMap((event) => (event.type === "tool.settled" ? [event.outcome] : []));
  expect(outcomes).toEqual(["ok", "failed", "ok", "ok", "failed", "failed", "failed", "ok"]);
  expect(events().filter((event) => event.type === "tool.settled")[4]).toMatchObject({
    content: [{ text: expect.stringMatching(/^Not run: a change before it in the same answer failed \(Edit\)/) }],
  });
});
