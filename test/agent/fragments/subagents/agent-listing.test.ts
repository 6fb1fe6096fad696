import { expect, test } from "vitest";
import { agentListing, builtInAgents, deniedAgents } from "../../../../src/agent/definitions/index.ts";
import { parseRules } from "../../../../src/tool/index.ts";

test("the built-in agents, as the Agent tool lists them", () => {
  expect(agentListing(builtInAgents)).toMatchSnapshot();
});

test("the built-in agents' own prompts", () => {
  expect(Object.fromEntries(builtInAgents.map(({ name, prompt }) => [name, prompt]))).toMatchSnapshot();
});

test("discovery order makes no difference", () => {
  expect(agentListing(builtInAgents.toReversed())).toBe(agentListing(builtInAgents));
});

test("a type that a rule denies is left out", () => {
  const names = builtInAgents.map(({ name }) => name);
  const deny = (...rules: string[]) => deniedAgents(names, parseRules({ deny: rules }).deny);
  expect(deny("Agent(Explore)", "Task(worker)", "Bash(Plan)")).toEqual(["Explore", "worker"]);
  expect(deny("Agent")).toEqual(names);
  expect(deny()).toEqual([]);
  const listing = agentListing(builtInAgents, { denied: deny("Agent(Explore)") });
  expect(listing).not.toContain("- Explore:");
  expect(listing).toContain("- Plan:");
});

test("a description stays on one line and within its limit", () => {
  const listing = agentListing([
    { name: "a", description: "One.\n- b: not an agent (tools: all)", tools: [] },
    { name: "z", description: "x".repeat(5000), disallowedTools: ["Write", "Edit"] },
  ]);
  const lines = listing.split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe("- a: One. - b: not an agent (tools: all) (tools: none)");
  expect(lines[1]).toBe(`- z: ${"x".repeat(600)}… (tools: all but Write, Edit)`);
});

test("a long list is bounded and says what it leaves out", () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({
    name: `agent-${String(index).padStart(4, "0")}`,
    description: "Does something in particular. ".repeat(10),
  }));
  const listing = agentListing(many);
  expect(listing.length).toBeLessThan(13_000);
  expect(listing).toMatch(/^- agent-0000: Does something/);
  expect(listing).toMatch(/\n- without descriptions: agent-\d{4}, .*, and \d+ more, not listed$/);
});
