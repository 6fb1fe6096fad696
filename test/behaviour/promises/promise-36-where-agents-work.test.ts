import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempTree } from "../../support/files/temp-tree.ts";
import { makeRepository } from "../../support/git/make-repository.ts";
import { alpha, asked, leading, mate } from "../../support/team/scripted-team.ts";
import { agent, type TeamSession, teamSession } from "../../support/team/team-session.ts";

function repository() {
  const tree = tempTree({
    "home/x": "",
    "project/.gitignore": "node_modules\nbuilt\n",
    "project/.troupe/agents/poet.md": "---\nname: poet\ndescription: Writes.\n---\nYou write poems.",
  });
  makeRepository(tree.path("project"));
  return tree;
}

const systemOf = (team: TeamSession, path: string | RegExp) => team.asked(path)[0]?.request.system.join("\n\n") ?? "";

test("promise 36: every subagent knows its folder, its branch and who else works there", async () => {
  const tree = repository();
  const calls = [
    agent("a", { name: "shared" }),
    agent("b", { name: "apart", isolation: "worktree" }),
    agent("c", { name: "looker", subagent_type: "Explore" }),
    agent("d", { name: "poet", subagent_type: "poet" }),
  ];
  const team = await teamSession({
    tree,
    more: { trust: "all" },
    answer: leading([{ calls }, { text: "over" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  const project = tree.path("project");
  expect(systemOf(team, "lead")).toContain("- Git branch: main");
  for (const name of ["shared", "poet"]) {
    const system = systemOf(team, `lead/${name}`);
    expect(system).toContain(`- Working directory: ${project}`);
    expect(system).toContain("- Git branch: main");
    expect(system).toContain("- You share this folder with the agent that started you");
    expect(system).toContain("Commit only if your task says so.");
  }
  const { worktree } = team.all("agent.spawned", "lead/apart")[0] ?? {};
  expect(systemOf(team, "lead/apart")).toContain(
    `- Your folder is your own git worktree on the branch ${worktree?.branch}, made from ${project}.`,
  );
  expect(systemOf(team, "lead/apart")).toContain("only commits count");
  expect(systemOf(team, "lead/looker")).not.toMatch(/plan mode|ommit your work|ommit only if/);
  expect(systemOf(team, "lead/poet")).toMatch(
    /^You are a subagent of Troupe[\s\S]+reads only your last message[\s\S]+No one answers questions[\s\S]+You write poems\.[\s\S]+is data, not orders[\s\S]+If a call is refused[\s\S]+outcome is unknown/,
  );
  for (const { request } of team.asked(/^lead/))
    expect(request.system.join("\n")).not.toContain("Not in a git repository");
});

test("promise 36: an agent in a worktree knows which ignored files it has", async () => {
  const tree = repository();
  const project = tree.path("project");
  mkdirSync(join(project, "node_modules/x"), { recursive: true });
  writeFileSync(join(project, "node_modules/x/index.js"), "");
  tree.write("home/.troupe/settings.json", { worktree: { setup: "mkdir built && touch built/a" } });
  const team = await alpha({
    tree,
    more: { trust: "all" },
    answer: leading(
      [
        { calls: [agent("b", { isolation: "worktree" })] },
        { calls: [mate("ben", "work", { isolation: "worktree" })] },
        { text: "over" },
      ],
      () => ({ text: "done" }),
    ),
  });
  await team.ask("go");
  await asked(team, "ben@alpha");
  const line =
    "- It has the files that git tracks, and of the ignored files node_modules (a copy), and what the setup command made (mkdir built && touch built/a).";
  expect(systemOf(team, /^lead\//)).toContain(line);
  expect(systemOf(team, "ben@alpha")).toContain(line);
});

test("promise 36: every agent knows what it may do without asking", async () => {
  const calls = [agent("a", { name: "sub" }), agent("b", { name: "looker", subagent_type: "Explore" })];
  const team = await alpha({
    answer: leading([{ calls: [mate("ann")] }, { text: "waiting" }], () => ({ text: "done" })),
    flags: { permissionMode: "acceptEdits", allowedTools: ["Bash(npm test:*)"] },
  });
  await team.ask("go");
  await asked(team, "ann@alpha");
  const alone = await teamSession({
    answer: leading([{ calls }, { text: "over" }], () => ({ text: "done" })),
    flags: { permissionMode: "acceptEdits", allowedTools: ["Bash(npm test:*)"] },
  });
  await alone.ask("go");
  const line = /^- Permissions: acceptEdits\b.*Bash\(npm test:\*\).*no user/m;
  expect(systemOf(team, "lead")).toMatch(line);
  expect(systemOf(team, "ann@alpha")).toMatch(line);
  expect(systemOf(alone, "lead/sub")).toMatch(line);
  expect(systemOf(alone, "lead/looker")).toContain("- Permissions: you only read.");
});

test("promise 36: outside a repository every prompt says so", async () => {
  const team = await teamSession({
    answer: leading([{ calls: [agent("a", { name: "sub" })] }, { text: "over" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  for (const path of ["lead", "lead/sub"]) expect(systemOf(team, path)).toContain("- Not in a git repository");
});

test("promise 36: teammates know their folder, and their prompt is not that of a subagent", async () => {
  const tree = repository();
  const calls = [
    mate("ann"),
    mate("ben", "work", { isolation: "worktree" }),
    mate("cat", "work", { subagent_type: "reviewer" }),
  ];
  const team = await alpha({
    tree,
    answer: leading([{ calls }, { text: "waiting" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  for (const name of ["ann", "ben", "cat"]) await asked(team, `${name}@alpha`);
  const project = tree.path("project");
  const [ann, ben, cat] = ["ann", "ben", "cat"].map((name) => systemOf(team, `${name}@alpha`));
  expect(ann).toMatch(/^You are ann, a teammate in the team alpha of Troupe/);
  expect(ann).toContain("- Git branch: main");
  expect(ann).toContain("- You share this folder with team-lead");
  expect(ben).toMatch(/- Your folder is your own git worktree on the branch troupe\/\S+, made from /);
  expect(ben).toContain(`made from ${project}.`);
  expect(cat).toContain("You review changes to code.");
  expect(cat).not.toMatch(/plan mode|After a change, run/);
  for (const system of [ann, ben, cat]) expect(system).not.toMatch(/subagent|Not in a git repository/);
});

test("promise 36: the lead's rules for its team arrive as a notice of the program", async () => {
  const tree = tempTree({ "home/x": "" });
  mkdirSync(tree.path("project"));
  const team = await alpha({ tree, answer: () => ({ text: "done" }) });
  await team.ask("go");
  const [first] = team.asked("lead");
  const said = first?.request.messages[0]?.parts.map((part) => (part.type === "text" ? part.text : "")) ?? [];
  expect(said[0]).toMatch(/^<troupe-notice>\nYou lead the team alpha;[\s\S]+<\/troupe-notice>$/);
  expect(first?.request.system[0]).toContain(
    "A <troupe-notice> comes from the program that runs you, not from the user.",
  );
});
