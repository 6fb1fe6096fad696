import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { builtInAgents } from "../../../src/agent/definitions/index.ts";
import type { Ask } from "../../../src/testing.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { makeRepository } from "../../support/git/make-repository.ts";
import { alpha, asked, leading, mate } from "../../support/team/scripted-team.ts";
import { agent, type TeamSession, teamSession } from "../../support/team/team-session.ts";

const everyTool =
  "Agent AskUserQuestion Bash Edit ExitPlanMode Glob Grep Land NotebookEdit Read SendMessage Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete WebFetch Write".split(
    " ",
  );

/** Words that also begin a sentence: there they are a tool only after another word. */
const words = new Set(["Agent", "Edit", "Land", "Read", "Skill", "Write"]);

const mentions = (text: string, tool: string) =>
  new RegExp(words.has(tool) ? `(?<=[a-z,(] )${tool}\\b(?! files)` : `\\b${tool}\\b`).test(text);

/**
 * The texts of the first request: system prompt, tool descriptions and their fields. The types of agents, the tools of
 * a coordinator's workers and the needs of a task are about the tools of others.
 */
function textsOf({ request }: Ask): string {
  const specs = request.tools.map(({ description, inputSchema }) => {
    const { needs: _, ...fields } = (inputSchema["properties"] ?? {}) as Record<string, unknown>;
    return `${description.split("\n\nTypes:\n")[0]}\n${JSON.stringify(fields)}`;
  });
  return [...request.system, ...specs].join("\n").replaceAll(/^- Their tools: .*$/gm, "");
}

function expectOwnTools(team: TeamSession, path: string): void {
  const [first] = team.asked(path);
  if (!first) throw new Error(`${path} was never asked`);
  const own = new Set(first.request.tools.map(({ name }) => name));
  const text = textsOf(first);
  const missing = everyTool.filter((tool) => !own.has(tool) && mentions(text, tool));
  expect({ path, missing }).toEqual({ path, missing: [] });
}

function repository() {
  const custom = (name: string, tools: string) =>
    `---\nname: ${name}\ndescription: d\ntools: ${tools}\n---\nYou do one thing.`;
  const tree = tempTree({
    "home/x": "",
    "project/.troupe/agents/shell.md": custom("shell", "Bash"),
    "project/.troupe/agents/starter.md": custom("starter", "Agent, Read"),
    "project/.troupe/agents/writer.md": custom("writer", "Read, Write"),
  });
  makeRepository(tree.path("project"));
  return tree;
}

const types = [
  ...builtInAgents.map(({ name }) => name).filter((name) => name !== "worker"),
  "shell",
  "starter",
  "writer",
];

test("promise 38: no text names a tool that a subagent of any type, or the lead, does not have", async () => {
  const calls = types.map((type) => agent("go", { name: `a-${type}`, subagent_type: type }));
  const team = await teamSession({
    tree: repository(),
    more: { trust: "all" },
    answer: leading([{ calls }, { text: "over" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  for (const path of ["lead", ...types.map((type) => `lead/a-${type}`)]) expectOwnTools(team, path);
  const toolsOf = (path: string) => team.asked(path)[0]?.request.tools.map(({ name }) => name) ?? [];
  expect(toolsOf("lead")).not.toEqual(expect.arrayContaining(["Skill"]));
  expect(toolsOf("lead")).not.toEqual(expect.arrayContaining(["ExitPlanMode"]));
  const bash = (path: string) =>
    JSON.stringify(team.asked(path)[0]?.request.tools.find(({ name }) => name === "Bash")?.inputSchema);
  expect(bash("lead")).toContain("run_in_background");
  expect(bash("lead/a-Explore")).not.toContain("run_in_background");
});

test("promise 38: no text names a tool that a teammate does not have", async () => {
  const calls = [
    ...["general-purpose", "Explore", "reviewer", "shell", "writer"].map((type) =>
      mate(`m-${type}`, "go", { subagent_type: type }),
    ),
    mate("planner", "go", { plan_mode_required: true }),
  ];
  const team = await alpha({
    tree: repository(),
    more: { trust: "all" },
    answer: leading([{ calls }, { text: "waiting" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  const names = calls.map(({ input }) => (input as { name: string }).name);
  for (const name of names) {
    await asked(team, `${name}@alpha`);
    expectOwnTools(team, `${name}@alpha`);
  }
  expectOwnTools(team, "lead");
  const has = (name: string) =>
    team.asked(`${name}@alpha`)[0]?.request.tools.some((tool) => tool.name === "ExitPlanMode");
  expect(names.filter(has)).toEqual(["planner"]);
  // A teammate starts no teammates, so its tools do not offer that.
  const [{ request } = expect.unreachable()] = team.asked("m-general-purpose@alpha");
  const starter = request.tools.find(({ name }) => name === "Agent");
  expect(starter?.description).toBeDefined();
  expect(JSON.stringify(starter)).not.toContain("teammate");
});

test("promise 38: no text names a tool that a coordinator, its worker or a fork does not have", async () => {
  const coordinator = await teamSession({
    tree: repository(),
    flags: { coordinator: true },
    answer: leading([{ calls: [agent("go", { name: "w" })] }, { text: "waiting" }, { text: "over" }], () => ({
      text: "done",
    })),
  });
  await coordinator.ask("go");
  await coordinator.quiet();
  for (const path of ["lead", "lead/w"]) expectOwnTools(coordinator, path);
  const [, after] = coordinator.asked("lead");
  expect(after?.said).not.toContain("output file");

  const forks = await teamSession({
    tree: repository(),
    flags: { forks: true },
    answer: leading([{ calls: [agent("go", { name: "f", subagent_type: undefined })] }, { text: "over" }], () => ({
      text: "done",
    })),
  });
  await forks.ask("go");
  expectOwnTools(forks, "lead/f");
  expect(forks.asked("lead/f")[0]?.said).toContain("You share the folder with the agent above");
});

/** Calls of agents with few tools whose results say what to do instead. */
const dead: Readonly<Record<string, readonly { tool: string; input: object }[]>> = {
  reader: [
    { tool: "Read", input: { file_path: "missing.txt" } },
    { tool: "Read", input: { file_path: "a.txt/x" } },
    { tool: "Read", input: { file_path: "folder" } },
    { tool: "Read", input: { file_path: "binary" } },
    { tool: "Read", input: { file_path: "latin1.txt" } },
    { tool: "Read", input: { file_path: "big.png" } },
    { tool: "Read", input: { file_path: "long.txt" } },
    { tool: "Read", input: { file_path: "/etc/hosts" } },
    { tool: "Bash", input: { command: "ls" } },
  ],
  editor: [
    { tool: "Edit", input: { file_path: "missing.txt", old_string: "a", new_string: "b" } },
    { tool: "Edit", input: { file_path: "a.txt", old_string: "", new_string: "b" } },
    { tool: "Edit", input: { file_path: "a.txt", old_string: "a", new_string: "b" } },
    { tool: "Edit", input: { file_path: "latin1.txt", old_string: "a", new_string: "b" } },
    { tool: "Edit", input: { file_path: "folder", old_string: "a", new_string: "b" } },
  ],
  searcher: [
    { tool: "Glob", input: { pattern: "*", path: "a.txt" } },
    { tool: "Glob", input: { pattern: "*", path: "missing" } },
    { tool: "Grep", input: { pattern: "(?=a)b" } },
    { tool: "Grep", input: { pattern: "a", path: "missing" } },
    { tool: "Grep", input: { pattern: "isNumber(" } },
  ],
  shell: [
    { tool: "Bash", input: { command: Array.from({ length: 70 }, () => "make").join("; ") } },
    { tool: "Bash", input: { command: "cat long.txt long.txt long.txt long.txt" } },
    { tool: "Bash", input: { command: "for f in *; do cat $f; done" } },
    { tool: "Bash", input: { command: "sed -i.bak s/a/b/ a.txt" } },
    { tool: "Bash", input: { command: "vim a.txt" } },
    { tool: "Bash", input: { command: "sleep 60" } },
    { tool: "Bash", input: { command: "git commit -m x" } },
  ],
};

test("promise 38: no result of a call names a tool that the agent does not have", async () => {
  const tree = repository();
  const tools = { reader: "Read", editor: "Edit", searcher: "Glob, Grep" };
  for (const [name, list] of Object.entries(tools))
    tree.write(`project/.troupe/agents/${name}.md`, `---\nname: ${name}\ndescription: d\ntools: ${list}\n---\nx`);
  tree.write("project/a.txt", "a\n");
  tree.write("project/folder/b.txt", "b\n");
  tree.write("project/long.txt", "a long line of text\n".repeat(20_000));
  writeFileSync(tree.path("project/binary"), Buffer.from([0, 1, 2, 0]));
  writeFileSync(tree.path("project/latin1.txt"), Buffer.from([0x61, 0xe9, 0x0a]));
  writeFileSync(
    tree.path("project/big.png"),
    Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(4_000_000)]),
  );
  const names = Object.keys(dead);
  const team = await teamSession({
    tree,
    flags: { permissionMode: "acceptEdits" },
    more: { trust: "all", asker: "nobody" },
    answer: leading(
      [{ calls: names.map((name) => agent("go", { name, subagent_type: name })) }, { text: "over" }],
      (ask) => {
        const call = dead[ask.agent.split("/").at(-1) ?? ""]?.[ask.turn - 1];
        return call ? { calls: [call] } : { text: "done" };
      },
    ),
  });
  await team.ask("go");
  for (const name of names) {
    const own = new Set(team.asked(`lead/${name}`)[0]?.request.tools.map((tool) => tool.name));
    const results = team.all("tool.settled", `lead/${name}`);
    expect(results).toHaveLength(dead[name]?.length ?? 0);
    for (const [at, { content }] of results.entries()) {
      const call = dead[name]?.[at];
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      const missing = everyTool.filter((tool) => !own.has(tool) && tool !== call?.tool && mentions(text, tool));
      expect({ call, text, missing }).toEqual({ call, text, missing: [] });
    }
  }
});

test("promise 38: a subagent in plan mode gives its plan as its report", async () => {
  const team = await teamSession({
    tree: repository(),
    flags: { permissionMode: "plan" },
    answer: leading([{ calls: [agent("go", { name: "sub" })] }, { text: "over" }], () => ({ text: "the plan" })),
  });
  await team.ask("go");
  const [sub] = team.asked("lead/sub");
  expect(sub?.request.system.join("\n")).toContain("give the plan as your last message");
  expect(sub?.request.tools.map(({ name }) => name)).not.toContain("ExitPlanMode");
  expect(team.asked("lead")[0]?.request.tools.map(({ name }) => name)).toContain("ExitPlanMode");
});
