import { expect, test } from "vitest";
import { agentMemory } from "../../../../src/agent/fragments/system/agent-memory.ts";
import { preloadedSkills } from "../../../../src/agent/fragments/system/preloaded-skills.ts";

test("memory text for an agent", () => {
  const folder = "/home/u/.troupe/agent-memory/keen";
  expect([
    agentMemory({ folder, text: undefined, canWrite: true }),
    agentMemory({ folder, text: "- npm test\n", cut: "[Cut.]", canWrite: false }),
  ]).toMatchSnapshot();
});

test("preloaded skills of an agent", () => {
  expect(preloadedSkills([])).toBe("");
  const pdf = { name: "pdf", folder: "/s/pdf", files: ["fill.py"], moreFiles: 2, body: "Fill in forms.\n" };
  expect(preloadedSkills([pdf, { ...pdf, name: "api", files: [], moreFiles: 0 }])).toMatchSnapshot();
});
