import { expect, test } from "vitest";
import { parseRule, ruleProblem, type RuleSet } from "../../../src/tool/index.ts";

const problem = (rule: string, list: keyof RuleSet = "allow") =>
  ruleProblem(list, parseRule({ value: rule, source: "--allowedTools" }));

test("rules that allow any code, and rules that match no call", () => {
  expect(
    [
      "Bash(node:*)",
      "Bash(python3.12 *)",
      "Bash(npm exec:*)",
      "Bash(export:*)",
      "Bash(timeout:*)",
      "Bash(npm test && npm run:*)",
      "WebFetch(example.com)",
      "TaskCreate(x)",
      "Read(src/[a)",
    ].map((rule) => problem(rule)),
  ).toMatchInlineSnapshot(`
    [
      "The allow rule Bash(node:*) (--allowedTools) lets agents run any code: node runs what it is given. To allow less, name the whole command.",
      "The allow rule Bash(python3.12 *) (--allowedTools) lets agents run any code: python3.12 runs what it is given. To allow less, name the whole command.",
      "The allow rule Bash(npm exec:*) (--allowedTools) lets agents run any code: npm runs what it is given. To allow less, name the whole command.",
      "The allow rule Bash(export:*) (--allowedTools) has no effect: export changes how bash reads the rest of the line. Name the whole command.",
      "The allow rule Bash(timeout:*) (--allowedTools) has no effect: timeout runs another command, which needs its own rule.",
      "The allow rule Bash(npm test && npm run:*) (--allowedTools) has no effect: it joins commands with &&. Write one rule for each command.",
      "The allow rule WebFetch(example.com) (--allowedTools) has no effect: it names no host. Write WebFetch(domain:example.com).",
      "The allow rule TaskCreate(x) (--allowedTools) has no effect: rules for TaskCreate have no brackets. Write TaskCreate.",
      "The allow rule Read(src/[a) (--allowedTools) has no effect: its pattern has an open bracket or brace.",
    ]
  `);
});

test.each([
  "Bash",
  "Bash(*)",
  "Bash(npm test)",
  "Bash(npm test:*)",
  "Bash(git log *)",
  "Bash(git * main)",
  "Bash(node test.js)",
  "Bash(node)",
  "Bash(npm test && npm run lint)",
  "Bash(timeout 60 npm test:*)",
  "Read(src/**)",
  "Edit(*.{ts,js})",
  "WebFetch(domain:example.com)",
  "mcp__server",
  "Agent(Explore)",
])("%s is a useful rule", (rule) => {
  expect(problem(rule)).toBeUndefined();
});

test("a deny rule for an interpreter is in order, one that matches nothing is not", () => {
  expect(problem("Bash(node:*)", "deny")).toBeUndefined();
  expect(problem("TaskCreate(x)", "deny")).toContain("The deny rule TaskCreate(x) (--allowedTools) has no effect");
});
