import { expect, test } from "vitest";
import { agentProblemLine } from "../../../src/agent/definitions/index.ts";
import { checkAgents } from "../../../src/session/agent-types/check-definitions.ts";
import { describeAgent } from "../../../src/session/agent-types/describe-definition.ts";
import { loadAgentDefinitions } from "../../../src/session/agent-types/load-definitions.ts";
import { loadConfig } from "../../../src/session/config/load-config.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";

const world = (files: Parameters<typeof tempTree>[0]): TempTree => {
  const tree = tempTree(files);
  for (const folder of ["repo/.git", "home/.troupe"]) tree.folder(folder);
  return tree;
};
const configOf = (tree: TempTree) =>
  loadConfig({ cwd: tree.path("repo"), env: { HOME: tree.path("home") }, managedFile: tree.path("etc/settings.json") });
const check = async (tree: TempTree, files: readonly string[] = []) =>
  (await checkAgents(await configOf(tree), files)).map(
    (problem) => `${problem.severity} ${agentProblemLine(problem).replaceAll(`${tree.root}/`, "")}`,
  );
const describeOne = async (tree: TempTree, name: string) => {
  const config = await configOf(tree);
  const found = (await loadAgentDefinitions(config)).agents.find(({ definition }) => definition.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return describeAgent(found, { config, parentMode: "default" });
};

const broken = [
  "---",
  "name: keen one",
  "maxTurns: 0",
  "tools: Reed, Bash(git diff:*)",
  "model: no-such-model",
  "skills: apy",
  "colour: red",
  "mcpServers:",
  "  - db",
  "  - own: { comand: x }",
  "---",
  "",
].join("\n");

test.each(["in force", "named"])(
  "all problems of a definition are reported at once: form and references (%s)",
  async (how) => {
    const tree = world({
      "home/.troupe/agents/a.md": broken,
      "home/.troupe/skills/api/SKILL.md": "---\nname: api\ndescription: d\n---\nb\n",
    });
    expect(await check(tree, how === "named" ? [tree.path("home/.troupe/agents/a.md")] : [])).toEqual([
      expect.stringMatching(/^error home\/.troupe\/agents\/a.md:2: name: must contain only letters/),
      expect.stringMatching(/^error .*a.md:2: description: is missing/),
      expect.stringMatching(/^error .*a.md:3: maxTurns: /),
      expect.stringMatching(/^error .*a.md:12: the system prompt is missing: write it after the frontmatter/),
      expect.stringMatching(/^warning .*a\.md:7: colour: is not a known field and is ignored; did you mean color\?/),
      expect.stringMatching(/^error .*a\.md:4: tools: "Reed": there is no such tool; did you mean Read\?/),
      expect.stringMatching(/^error .*a.md:5: model: /),
      expect.stringMatching(/^warning .*a.md:9: mcpServers: the server db is not configured here/),
      expect.stringMatching(/^error .*a.md:9: mcpServers: the server own: command: /),
      expect.stringMatching(/^warning .*a\.md:6: skills: "apy": there is no such skill; did you mean api\?/),
    ]);
  },
);

test("a definition without missing references is valid", async () => {
  const tree = world({
    "home/.troupe/settings.json": { mcpServers: { db: { command: "x" } } },
    "home/.troupe/skills/api/SKILL.md": "---\nname: api\ndescription: d\n---\nb\n",
    "home/.troupe/agents/a.md":
      "---\nname: a\ndescription: d\ntools: Read, Agent(Explore)\nskills: api\nmemory: local\nmcpServers: [db, { own: { command: y } }]\nrequiredMcpServers: own\n---\np\n",
  });
  expect(await check(tree)).toEqual([]);
  const shown = await describeOne(tree, "a");
  expect(shown.servers).toEqual(["db", "own"]);
  expect(shown.memory).toBe(tree.path("repo/.troupe/agent-memory-local/a"));
  const only = (tool: string) => shown.tools.limits.find((limit) => limit.tool === tool)?.only;
  expect(shown.tools.tools.map(({ name }) => name).toSorted()).toEqual(["Agent", "Edit", "Read", "Write"]);
  expect(only("Agent")).toEqual(["Agent(Explore)"]);
  expect(only("Write")).toEqual([`Write(/${tree.path("repo/.troupe/agent-memory-local/a")}/**)`]);
});

test("tools that exist only in a session are listed", async () => {
  const tree = world({
    "home/.troupe/agents/a.md": "---\nname: a\ndescription: d\ntools: Read, SendMessage\n---\np\n",
  });
  expect((await describeOne(tree, "general-purpose")).tools.tools.map(({ name }) => name)).toContain("Agent");
  expect((await describeOne(tree, "a")).tools.reports).toMatchObject([
    { entry: "SendMessage", severity: "warning", message: "is not available to this kind of agent" },
  ]);
});

test.each([
  ["mcpServers: 5", "mcpServers: expected server names, or servers by their names"],
  ["mcpServers: [5]", "mcpServers"],
  ["skills: 5", "skills: expected comma-separated names, or a list"],
  ["memory: everywhere", "memory: "],
])("a field of the wrong form is an error: %s", async (line, words) => {
  const tree = world({ "home/.troupe/agents/a.md": `---\nname: a\ndescription: d\n${line}\n---\np\n` });
  expect(await check(tree)).toEqual([expect.stringContaining(`error home/.troupe/agents/a.md:4: ${words}`)]);
});

test("a project definition gets notes in the user's folder only when trusted", async () => {
  const tree = world({ "repo/.troupe/agents/a.md": "---\nname: a\ndescription: d\nmemory: user\n---\np\n" });
  const { agents } = await loadAgentDefinitions(await configOf(tree));
  expect(agents.find(({ definition }) => definition.name === "a")).toMatchObject({ withheld: ["memory"] });
  expect((await configOf(tree)).untrusted).toMatchObject([{ key: "memory", value: "user" }]);
  expect((await describeOne(tree, "a")).memory).toBeUndefined();
});
