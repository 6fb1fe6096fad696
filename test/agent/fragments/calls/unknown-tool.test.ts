import { expect, test } from "vitest";
import { unknownTool } from "../../../../src/agent/fragments/calls/unknown-tool.ts";

const known = ["Bash", "Edit", "Glob", "Read", "TaskCreate"];

test.each([
  ["Reed", "Read"],
  ["read_file", "Read"],
  ["MultiEdit", "Edit"],
  ["TodoWrite", "TaskCreate"],
  ["LS", "Glob"],
])("%s is answered with %s", (name, meant) => {
  expect(unknownTool(name, known)).toBe(
    `There is no tool named "${name}". Did you mean ${meant}? Your tools: Bash, Edit, Glob, Read, TaskCreate.`,
  );
});

test.each(["Conjure", "KillShell"])("%s has no counterpart among the agent's tools", (name) => {
  expect(unknownTool(name, known)).not.toContain("Did you mean");
});

test("the answer to a team tool without teams says who can turn them on", () => {
  const text = unknownTool("TeamCreate", ["TaskCreate", "Agent"]);
  expect(text).toContain("The user can turn them on with the setting teams.enabled, or with --team NAME.");
  expect(text).not.toContain("Did you mean");
});
