import { readFileSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { agentProblemLine } from "../../../src/agent/definitions/index.ts";
import { type LoadedAgents, loadAgentDefinitions } from "../../../src/session/agent-types/load-definitions.ts";
import { type ConfigInput, loadConfig } from "../../../src/session/config/load-config.ts";
import { trustFolder } from "../../../src/session/trust/apply-trust.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";

const world = (files: Parameters<typeof tempTree>[0] = {}): TempTree => {
  const tree = tempTree(files);
  for (const folder of ["repo/.git", "repo/packages/app", "home/.troupe", "etc"]) tree.folder(folder);
  return tree;
};

const configOf = (tree: TempTree, more: Partial<ConfigInput> = {}) =>
  loadConfig({
    cwd: tree.path("repo"),
    env: { HOME: tree.path("home") },
    managedFile: tree.path("etc/settings.json"),
    ...more,
  });

const load = async (tree: TempTree, more: Partial<ConfigInput> = {}) =>
  loadAgentDefinitions(await configOf(tree, more));

const file = (name: string, words = "Helps.", head = "") =>
  `---\nname: ${name}\ndescription: ${words}\n${head}---\nYou help.\n`;

const find = ({ agents }: LoadedAgents, name: string) => agents.find(({ definition }) => definition.name === name);
const lines = ({ problems }: LoadedAgents, tree: TempTree) =>
  problems.map((problem) => agentProblemLine(problem).replaceAll(`${tree.root}/`, ""));

test("without files there are the built-in agents and no problems", async () => {
  const tree = world();
  const loaded = await load(tree);
  expect(loaded.agents.map(({ definition }) => definition.name)).toEqual([
    "Explore",
    "Plan",
    "general-purpose",
    "guide",
    "researcher",
    "reviewer",
    "statusline-setup",
    "worker",
  ]);
  expect(loaded.problems).toEqual([]);
});

/** From strong to weak. Each row hides all that follow. */
const order: readonly (readonly [string, string])[] = [
  ["managed", "etc/agents/a.md"],
  ["flag", "--agents"],
  ["project", "repo/packages/app/.troupe/agents/a.md"],
  ["project", "repo/.troupe/agents/a.md"],
  ["project", "repo/packages/app/.claude/agents/a.md"],
  ["project", "repo/.claude/agents/a.md"],
  ["user", "home/.troupe/agents/a.md"],
  ["user", "home/.claude/agents/a.md"],
  ["plugin", "plugin/agents/a.md"],
  ["built-in", "Troupe"],
];

test.each(order.map((_, index) => index))("source %i wins over all after it, which are reported", async (index) => {
  const tree = world({ "home/.troupe/settings.json": { plugins: ["../plugin"] } });
  tree.folder("plugin");
  const present = order.slice(index);
  for (const [level, place] of present) {
    if (level !== "flag" && level !== "built-in") tree.write(place, file("reviewer", place));
  }
  const flags = present.some(([level]) => level === "flag")
    ? { agents: JSON.stringify({ reviewer: { description: "--agents", prompt: "You help." } }) }
    : {};
  const loaded = await load(tree, { cwd: tree.path("repo/packages/app"), flags });
  const winner = find(loaded, "reviewer");
  const [first, ...rest] = present.map(([level, place]) => ({
    level,
    from: level === "flag" || level === "built-in" ? place : tree.path(place),
  }));
  expect(winner?.definition.source).toEqual(first);
  expect(winner?.hides).toEqual(rest);
  expect(lines(loaded, tree)).toEqual([]);
});

test("reads every field of a file, in all common notations", async () => {
  const tree = world({
    "repo/.claude/agents/sub/all.md": `---
name: all
description: Use this agent when: something is to be done, e.g. "this".
tools: Read, Bash(git diff:*, git log:*), mcp__db
disallowedTools:
  - Write
  - WebFetch
model: opus
permissionMode: plan
mcpServers: [db]
requiredMcpServers: db
skills: [style]
maxTurns: 12
background: true
isolation: worktree
color: cyan
memory: project
initialPrompt: Begin.
---

You do it all.

Well.
`,
  });
  const loaded = await load(tree, { trust: "all" });
  expect(lines(loaded, tree)).toEqual([]);
  expect(find(loaded, "all")?.definition).toEqual({
    name: "all",
    description: `Use this agent when: something is to be done, e.g. "this".`,
    tools: ["Read", "Bash(git diff:*, git log:*)", "mcp__db"],
    disallowedTools: ["Write", "WebFetch"],
    model: "opus",
    permissionMode: "plan",
    mcpServers: ["db"],
    requiredMcpServers: ["db"],
    skills: ["style"],
    maxTurns: 12,
    background: true,
    isolation: "worktree",
    color: "cyan",
    memory: "project",
    initialPrompt: "Begin.",
    prompt: "You do it all.\n\nWell.",
    source: { level: "project", from: tree.path("repo/.claude/agents/sub/all.md") },
  });
});

test.each([
  [
    "no frontmatter",
    "# Notes\n",
    "1: the frontmatter is missing: begin the file with name and description between two lines of ---",
  ],
  [
    "frontmatter that is not closed",
    "---\nname: a\n",
    "1: the frontmatter is not closed: add a line of --- after its fields",
  ],
  ["no name", "---\ndescription: d\n---\np\n", "2: name: is missing"],
  ["no description", "---\nname: a\n---\np\n", "2: description: is missing"],
  [
    "a name with a path in it",
    "---\nname: ../a\ndescription: d\n---\np\n",
    "2: name: must contain only letters, digits, - and _, and begin with a letter",
  ],
  [
    "a list that is none",
    "---\nname: a\ndescription: d\ntools: 5\n---\np\n",
    "4: tools: expected comma-separated names, or a list; remove the line to allow all tools",
  ],
  [
    "tools without a value",
    "---\nname: a\ntools:\ndescription: d\n---\np\n",
    "3: tools: expected comma-separated names, or a list; remove the line to allow all tools",
  ],
  [
    "a mode that there is not",
    "---\nname: a\ndescription: d\npermissionMode: yolo\n---\np\n",
    `4: permissionMode: expected one of "default"|"acceptEdits"|"plan"|"dontAsk"|"bypassPermissions"`,
  ],
  [
    "a number that is none",
    "---\nname: a\ndescription: d\nmaxTurns: many\n---\np\n",
    "4: maxTurns: expected number, received string",
  ],
  [
    "hooks that are none",
    "---\nname: a\ndescription: d\nhooks:\n  PreToolUse:\n    - matcher: Bash\n---\np\n",
    /^5: hooks: .*PreToolUse\[0\]\.hooks/,
  ],
  ["broken YAML", "---\nname: a\n  b: [\n- c\n---\np\n", /^\d: not valid YAML: /],
  [
    "no prompt",
    "---\nname: a\ndescription: d\n---\n\n",
    "6: the system prompt is missing: write it after the frontmatter",
  ],
])("%s is reported with its place, and hides no other", async (_what, text, expected) => {
  const tree = world({ "repo/.troupe/agents/bad.md": text, "repo/.troupe/agents/good.md": file("good") });
  const loaded = await load(tree);
  expect(find(loaded, "good")).toBeDefined();
  expect(find(loaded, "a")).toBeUndefined();
  const [first = "", ...others] = lines(loaded, tree);
  expect(others).toEqual([]);
  expect(first.startsWith("repo/.troupe/agents/bad.md:")).toBe(true);
  const message = first.slice("repo/.troupe/agents/bad.md:".length);
  if (typeof expected === "string") expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});

test("an unknown field, an unknown colour and an empty field are not fatal", async () => {
  const tree = world({
    "repo/.troupe/agents/a.md": file("a", "d", "model:\nmodle: opus\neffort: high\ncolor: teal\n"),
  });
  const loaded = await load(tree);
  expect(find(loaded, "a")?.definition).not.toHaveProperty("color");
  expect(find(loaded, "a")?.definition.model).toBeUndefined();
  expect(loaded.problems.every(({ severity }) => severity === "warning")).toBe(true);
  expect(lines(loaded, tree)).toEqual([
    "repo/.troupe/agents/a.md:5: modle: is not a known field and is ignored; did you mean model?",
    "repo/.troupe/agents/a.md:6: effort: is not a known field and is ignored",
    "repo/.troupe/agents/a.md:7: color: is not a known color; use one of red, blue, green, yellow, purple, orange, pink, cyan",
  ]);
});

test("a duplicate name in one source is a problem; the first is used", async () => {
  const tree = world({ "repo/.troupe/agents/a.md": file("x", "one"), "repo/.troupe/agents/b.md": file("x", "two") });
  const loaded = await load(tree);
  expect(find(loaded, "x")?.definition.description).toBe("one");
  expect(find(loaded, "x")?.hides).toEqual([{ level: "project", from: tree.path("repo/.troupe/agents/b.md") }]);
  expect(lines(loaded, tree)).toEqual([
    "repo/.troupe/agents/b.md: name: repo/.troupe/agents/a.md already defines the agent x and is used: rename one of them",
  ]);
});

test("a folder linked twice is read once; a link out of the project is not read", async () => {
  const tree = world({ "repo/.troupe/agents/a.md": file("a"), "secret.md": file("stolen") });
  tree.folder("repo/.claude");
  symlinkSync(tree.path("repo/.troupe/agents"), tree.path("repo/.claude/agents"));
  symlinkSync(tree.path("secret.md"), tree.path("repo/.troupe/agents/b.md"));
  const loaded = await load(tree);
  expect(find(loaded, "a")?.hides).toEqual([]);
  expect(find(loaded, "stolen")).toBeUndefined();
  expect(lines(loaded, tree)[0]).toBe(
    "repo/.troupe/agents/b.md: is ignored: it links to secret.md, outside the project",
  );
});

const acting = `hooks:
  PreToolUse:
    - hooks: [{ type: command, command: touch owned }]
mcpServers: [{ db: { command: db } }]
permissionMode: bypassPermissions
model: scripted/evil.ts
`;

test("definitions of an untrusted folder are only text; trust covers their exact requests", async () => {
  const path = "repo/.troupe/agents/a.md";
  const tree = world({ [path]: file("a", "d", acting) });
  const withheld = ["hooks", "mcpServers", "permissionMode", "model"];
  const before = find(await load(tree), "a");
  expect(before?.withheld).toEqual(withheld);
  for (const key of withheld) expect(before?.definition).not.toHaveProperty(key);
  const config = await configOf(tree);
  expect(config.notices[0]).toContain(".troupe/agents/a.md (hooks, mcpServers, permissionMode, model)");

  await trustFolder(config.home, { cwd: config.cwd, withheld: config.untrusted, now: 0 });
  const trusted = find(await load(tree), "a");
  expect(trusted?.withheld).toEqual([]);
  expect(trusted?.definition).toMatchObject({ permissionMode: "bypassPermissions", model: "scripted/evil.ts" });

  tree.write(path, readFileSync(tree.path(path), "utf8").replace("touch owned", "touch more"));
  expect((await configOf(tree)).notices[0]).toContain("has changed since it was trusted (.troupe/agents/a.md (hooks))");
  expect(find(await load(tree), "a")?.withheld).toEqual(withheld);
});

test("a definition that changes after the trust check does not get the new rights", async () => {
  const path = "repo/.troupe/agents/a.md";
  const tree = world({ [path]: file("a", "d", "permissionMode: acceptEdits\n") });
  const config = await configOf(tree, { trust: "all" });
  tree.write(path, file("a", "d", acting));
  expect(find(await loadAgentDefinitions(config), "a")?.withheld).toEqual([
    "hooks",
    "mcpServers",
    "permissionMode",
    "model",
  ]);
});

test("restrictions need no trust", async () => {
  const tree = world({ "repo/.troupe/agents/a.md": file("a", "d", "permissionMode: dontAsk\nmodel: haiku\n") });
  expect((await configOf(tree)).notices).toEqual([]);
  expect(find(await load(tree), "a")).toMatchObject({
    withheld: [],
    definition: { permissionMode: "dontAsk", model: "haiku" },
  });
});

test("the user's own definitions take effect; a plugin's requests never do", async () => {
  const tree = world({
    "home/.claude/agents/mine.md": file("mine", "d", acting),
    "home/plugins/p/agents/theirs.md": file("theirs", "d", acting),
    "home/.troupe/settings.json": { plugins: ["~/plugins/p", "~/plugins/gone"] },
  });
  const loaded = await load(tree);
  expect(find(loaded, "mine")).toMatchObject({ withheld: [], definition: { permissionMode: "bypassPermissions" } });
  expect(find(loaded, "theirs")?.withheld).toEqual(["hooks", "mcpServers", "permissionMode", "model"]);
  expect(lines(loaded, tree).find((line) => line.includes("theirs.md: hooks"))).toMatch(
    /^home\/plugins\/p\/agents\/theirs\.md: hooks: is ignored: agents of a plugin cannot set it/,
  );
  expect((await configOf(tree)).notices[0]).toContain("home/plugins/gone does not exist and is ignored");
});

test("a project names plugins only once it is trusted", async () => {
  const tree = world({
    "repo/.troupe/settings.json": { plugins: ["./plugin"] },
    "repo/plugin/agents/p.md": file("p"),
  });
  expect(find(await load(tree), "p")).toBeUndefined();
  expect(find(await load(tree, { trust: "all" }), "p")?.definition.source.level).toBe("plugin");
});

const flag = (agents: unknown) => ({ flags: { agents: typeof agents === "string" ? agents : JSON.stringify(agents) } });

test("--agents takes JSON or a file", async () => {
  const agents = {
    reviewer: {
      description: "Reviews.",
      prompt: "You review.",
      tools: ["Read", "Grep"],
      model: "sonnet",
      effort: "high",
    },
  };
  const tree = world({ "repo/agents.json": agents });
  const direct = await load(tree, flag(agents));
  expect(find(direct, "reviewer")?.definition).toEqual({
    name: "reviewer",
    description: "Reviews.",
    prompt: "You review.",
    tools: ["Read", "Grep"],
    model: "sonnet",
    source: { level: "flag", from: "--agents" },
  });
  expect(lines(direct, tree)).toEqual(["--agents: reviewer.effort: is not a known field and is ignored"]);
  const fromFile = await load(tree, flag("agents.json"));
  expect(find(fromFile, "reviewer")?.definition.source.from).toBe(`--agents ${tree.path("repo/agents.json")}`);
});

test.each([
  ["invalid JSON", "{ nope", /^--agents:1:3: not valid JSON/],
  ["a key twice", `{"a":{"description":"d","prompt":"p"},"a":{"description":"d","prompt":"p"}}`, /duplicate key\./],
  ["a list", [], /^--agents: must be an object with one key for each agent/],
  ["an agent that is none", { a: 5 }, /^--agents: a: expected object, received number/],
  ["no prompt", { a: { description: "d" } }, /^--agents: a\.prompt: is missing/],
  ["no description", { a: { prompt: "p" } }, /^--agents: a\.description: is missing/],
  ["a bad name", { "a b": { description: "d", prompt: "p" } }, /^--agents: a b\.name: must contain only letters/],
  [
    "a bad list",
    { a: { description: "d", prompt: "p", tools: 5 } },
    /^--agents: a\.tools: expected comma-separated names/,
  ],
  ["a file that does not exist", "gone.json", /^--agents gone\.json: it is neither JSON nor an existing file/],
])("--agents with %s is an error that says so", async (_what, given, message) => {
  await expect(load(world(), flag(given))).rejects.toThrow(message);
});

test.each([
  ["nothing said", {}, undefined],
  ["Claude Code's variable", { CLAUDE_CODE_SUBAGENT_MODEL: "haiku" }, "haiku"],
  ["both", { CLAUDE_CODE_SUBAGENT_MODEL: "haiku", TROUPE_SUBAGENT_MODEL: "opus" }, "opus"],
  ["an empty one", { CLAUDE_CODE_SUBAGENT_MODEL: "haiku", TROUPE_SUBAGENT_MODEL: " " }, "haiku"],
])("the model for all subagents: %s", async (_what, env, expected) => {
  const tree = world();
  const config = await configOf(tree, { env: { HOME: tree.path("home"), ...env } });
  expect(config.subagentModel?.value).toBe(expected);
});
