import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { openAgentMemory } from "../../../src/session/agent-types/agent-memory.ts";
import { agent, lead, resultOf, teamSession, type TeamOptions } from "../../support/team/team-session.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const definition = (head: string) => `---\nname: keen\ndescription: k\n${head}\n---\nYou are keen.\n`;
const write = (path: string, content = "noted\n") => ({
  calls: [{ tool: "Write", input: { file_path: path, content } }],
});

interface Remembering extends Partial<TeamOptions> {
  readonly head: string;
  /** The paths that the agent writes to, one after another. */
  readonly paths?: (root: string) => readonly string[];
}

/** A session whose agent writes to some paths in turn. Returns the result of each write. */
async function remembering({ head, paths = () => [], ...options }: Remembering) {
  const tree = options.tree ?? tempTree(options.files);
  tree.write("home/.troupe/agents/keen.md", definition(head));
  tree.write("home/.troupe/settings.json", options.settings ?? {});
  const todo = paths(tree.root);
  const team = await teamSession({
    flags: { permissionMode: "default" },
    ...options,
    tree,
    answer: lead([{ calls: [agent("work", { subagent_type: "keen" })] }, { text: "over" }], (ask) => {
      const path = todo[ask.turn - 1];
      return path === undefined ? { text: "done" } : write(path);
    }),
  });
  await team.ask("go");
  const child = team.asked(/^lead\//)[0]?.agent ?? "";
  const outcomes = team.all("tool.settled", child).map(({ outcome }) => outcome);
  return {
    tree,
    team,
    outcomes,
    system: JSON.stringify(team.asked(/^lead\//)[0]?.request.system),
    result: resultOf(team),
  };
}

test.each([
  ["user", "home/.troupe/agent-memory/keen"],
  ["project", "project/.troupe/agent-memory/keen"],
  ["local", "project/.troupe/agent-memory-local/keen"],
])(
  "memory: %s is a folder per type, created at first start, written without asking, read later",
  async (scope, folder) => {
    const first = await remembering({
      head: `memory: ${scope}`,
      paths: (root) => [`${root}/${folder}/MEMORY.md`, `${root}/${folder}/more/a.md`],
    });
    expect(first.outcomes).toEqual(["ok", "ok"]);
    expect(first.system).toContain("It has no MEMORY.md yet.");
    expect(readFileSync(first.tree.path(`${folder}/MEMORY.md`), "utf8")).toBe("noted\n");
    const second = await remembering({ head: `memory: ${scope}`, tree: first.tree });
    expect(second.system).toContain("Content of MEMORY.md:");
    expect(second.system).toContain("noted");
    expect(existsSync(first.tree.path("project/.troupe/agent-memory-local/.gitignore"))).toBe(scope === "local");
  },
);

test("other writes still ask: another type's folder, next to the folder, through a link out of it", async () => {
  const tree = tempTree({ "project/a.txt": "a", "outside/x": "" });
  mkdirSync(tree.path("project/.troupe/agent-memory/keen"), { recursive: true });
  symlinkSync(tree.path("outside"), tree.path("project/.troupe/agent-memory/keen/out"));
  const { outcomes, result } = await remembering({
    head: "memory: project",
    tree,
    paths: (root) =>
      [
        "project/.troupe/agent-memory/other/MEMORY.md",
        "project/.troupe/settings.json",
        "project/new.txt",
        "project/.troupe/agent-memory/keen/out/file",
        "home/.troupe/agent-memory/keen/MEMORY.md",
      ].map((path) => `${root}/${path}`),
  });
  expect(outcomes).toEqual(["denied", "denied", "denied", "denied", "denied"]);
  expect(result.outcome).toBe("ok");
  expect(existsSync(tree.path("outside/file"))).toBe(false);
});

test("protected paths, deny rules and plan mode hold inside the memory folder", async () => {
  const own = (name: string) => (root: string) => [`${root}/project/.troupe/agent-memory/keen/${name}`];
  const head = "memory: project";
  expect((await remembering({ head, paths: own(".git/hooks/post-checkout") })).outcomes).toEqual(["denied"]);
  expect((await remembering({ head, paths: own(".mcp.json") })).outcomes).toEqual(["denied"]);
  const deny = { permissions: { deny: ["Write(**/agent-memory/**)"] } };
  expect((await remembering({ head, settings: deny, paths: own("MEMORY.md") })).outcomes).toEqual(["denied"]);
  const plan = { head, flags: { permissionMode: "plan" as const }, paths: own("MEMORY.md") };
  const planned = await remembering(plan);
  expect(planned.outcomes).toEqual(["denied"]);
  expect(planned.system).toContain("you have no tool to change it");
});

test("an agent with a tool list gets the tools for its notes, limited to them", async () => {
  const { outcomes, team } = await remembering({
    head: "tools: Read, Grep\nmemory: project",
    flags: { permissionMode: "bypassPermissions" },
    paths: (root) => [`${root}/project/.troupe/agent-memory/keen/MEMORY.md`, `${root}/project/new.txt`],
  });
  expect(outcomes).toEqual(["ok", "denied"]);
  expect(
    team
      .asked(/^lead\//)[0]
      ?.request.tools.map(({ name }) => name)
      .toSorted(),
  ).toEqual(["Edit", "Grep", "Read", "Write"]);
});

test("a tool that the definition removes stays removed, and the agent learns that it can only read", async () => {
  const { system } = await remembering({ head: "disallowedTools: Write, Edit\nmemory: user" });
  expect(system).toContain("you have no tool to change it");
});

test("the lead and other types may not write there", async () => {
  const tree = tempTree({ "home/.troupe/agents/keen.md": definition("memory: project"), "project/x": "" });
  const path = tree.path("project/.troupe/agent-memory/keen/MEMORY.md");
  const team = await teamSession({
    tree,
    flags: { permissionMode: "acceptEdits" },
    answer: lead([write(path), { calls: [agent("work")] }, { text: "over" }], (ask) =>
      ask.turn === 1 ? write(path) : { text: "done" },
    ),
  });
  await team.ask("go");
  const writes = team.envelopes.flatMap(({ event }) =>
    event.type === "tool.settled" && event.outcome !== "ok" ? [event.outcome] : [],
  );
  expect(writes).toEqual(["denied", "denied"]);
  expect(existsSync(path)).toBe(false);
});

test("in worktrees of agents and sessions, project memory is that of the main checkout", async () => {
  const tree = tempTree({
    "main/a.txt": "a",
    "home/.troupe/agents/keen.md": definition("memory: project\nisolation: worktree"),
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", tree.path("main"), "-c", "user.name=T", "-c", "user.email=t@example.com", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  git("worktree", "add", "-q", tree.path("linked"));
  const note = tree.path("main/.troupe/agent-memory/keen/MEMORY.md");
  const { outcomes } = await remembering({
    head: "memory: project\nisolation: worktree",
    tree,
    cwd: tree.path("linked"),
    paths: () => [note],
  });
  expect(outcomes).toEqual(["ok"]);
  expect(existsSync(note)).toBe(true);
  expect(existsSync(tree.path("linked/.troupe"))).toBe(false);
});

test("a folder that only claims to be a worktree of another repository keeps separate notes", async () => {
  const tree = tempTree({ "other/.git/worktrees/x/gitdir": "/nowhere/.git\n", "home/x": "" });
  tree.write("claim/.git", `gitdir: ${tree.path("other/.git/worktrees/x")}\n`);
  const places = { projectFolders: [tree.path("claim")], home: tree.path("home/.troupe"), userHome: tree.path("home") };
  expect(await openAgentMemory({ name: "keen", memory: "project" }, places)).toMatchObject({
    folder: tree.path("claim/.troupe/agent-memory/keen"),
  });
});

test("a link in place of the folder is not followed: no notes, and the parent gets a notice", async () => {
  const tree = tempTree({ "outside/MEMORY.md": "private", "project/x": "" });
  mkdirSync(tree.path("project/.troupe"));
  symlinkSync(tree.path("outside"), tree.path("project/.troupe/agent-memory"));
  const { system, result } = await remembering({ head: "memory: project", tree });
  expect(result.text).toMatch(/Note: keen: the agent's memory is ignored: .*is a link or not a folder/);
  expect(system).not.toContain("private");
});

const places = (root: string) => ({ projectFolders: [`${root}/p`], home: `${root}/h`, userHome: root });

test.each([
  [
    "many lines",
    `${Array.from({ length: 300 }, (_, line) => `line ${line + 1}`).join("\n")}\n`,
    "line 200",
    "first 200 lines",
  ],
  ["many bytes", `${"é".repeat(200)}\n`.repeat(100), "é".repeat(200), "first 62 lines"],
])("MEMORY.md is shown within bounds, with a note of the cut: %s", async (_, text, last, words) => {
  const tree = tempTree({ "h/agent-memory/keen/MEMORY.md": text });
  const memory = await openAgentMemory({ name: "keen", memory: "user" }, places(tree.root));
  if (!memory || "problem" in memory) throw new Error("there is no memory");
  expect(memory.text?.split("\n").at(-1)).toBe(last);
  expect(memory.cut).toContain(words);
});

test("a MEMORY.md that is a link or not text is left out with a reason; hidden characters are shown", async () => {
  const tree = tempTree({
    private: "secret",
    "h/agent-memory/a/MEMORY.md": "a\0b",
    "h/agent-memory/b/MEMORY.md": "a\u202eb",
  });
  mkdirSync(tree.path("h/agent-memory/c"), { recursive: true });
  symlinkSync(tree.path("private"), tree.path("h/agent-memory/c/MEMORY.md"));
  const open = (name: string) => openAgentMemory({ name, memory: "user" }, places(tree.root));
  expect(await open("a")).toMatchObject({ text: undefined, notices: [expect.stringContaining("not a text file")] });
  expect(await open("b")).toMatchObject({ text: expect.not.stringContaining("\u202e") as string });
  expect(await open("c")).toMatchObject({ text: undefined, notices: [expect.stringContaining("it is a link")] });
});
