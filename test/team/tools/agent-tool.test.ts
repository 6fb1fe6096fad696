import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agent, lead, resultOf, teamSession, type TeamOptions } from "../../support/team/team-session.ts";
import { testRepository } from "../../support/git/test-repository.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

/** The result of one Agent call with this input, and the number of agents left behind. */
async function tryAgent(more: object, options: Partial<TeamOptions> = {}) {
  const team = await teamSession({
    answer: lead([{ calls: [agent("work", more)] }, { text: "over" }], () => ({ text: "done by child" })),
    ...options,
  });
  await team.ask("go");
  const spawned = team.all("agent.spawned").filter(({ parent }) => parent !== undefined);
  return { team, spawned, ...resultOf(team) };
}

describe("2.1 input", () => {
  test("description, prompt and type start an agent whose only message is the prompt", async () => {
    const { team, spawned, text, outcome } = await tryAgent({});
    expect(outcome).toBe("ok");
    expect(text).toContain("done by child");
    expect(spawned).toMatchObject([{ agentType: "general-purpose", description: "do a thing" }]);
    expect(team.asked(/^lead\//)[0]?.said).toBe("work");
    expect(team.all("agent.spawned")[1]?.path).toMatch(/^lead\/general-purpose-[0-9a-z]{6}$/);
  });

  test("name is the last part of its path", async () => {
    const { spawned } = await tryAgent({ name: "scout" });
    expect(spawned[0]?.path).toBe("lead/scout");
  });

  test("model overrides the definition's", async () => {
    const files = {
      "project/other.mjs": "export default () => ({ text: 'the other model' });",
      "home/.troupe/agents/other.md":
        "---\nname: other\ndescription: o\nmodel: scripted/other.mjs\n---\nYou are other.",
    };
    const own = await tryAgent({ subagent_type: "other" }, { files });
    expect(own.text).toContain("the other model");
    const chosen = await tryAgent({ subagent_type: "other", model: "inherit" }, { files });
    expect(chosen.text).toContain("done by child");
    const env = { TROUPE_SUBAGENT_MODEL: "scripted/other.mjs" };
    const over = await tryAgent({ model: "inherit" }, { files, env });
    expect(over.text).toContain("the other model");
  });

  test("mode makes it stricter, never looser", async () => {
    const stricter = await tryAgent({ mode: "plan" });
    expect(stricter.spawned[0]?.permissionMode).toBe("plan");
    const looser = await tryAgent({ mode: "bypassPermissions" }, { flags: { permissionMode: "default" } });
    expect(looser.spawned[0]?.permissionMode).toBe("default");
  });

  test("cwd is the agent's working directory", async () => {
    const tree = tempTree({ "home/.troupe/settings.json": {}, "project/inside/a.txt": "a" });
    const { spawned } = await tryAgent({ cwd: tree.path("project/inside") }, { tree });
    expect(spawned[0]?.cwd).toBe(tree.path("project/inside"));
  });

  test("isolation: worktree gives a new worktree, removed when nothing was changed", async () => {
    const repository = testRepository();
    const { spawned, text } = await tryAgent({ isolation: "worktree" }, { cwd: repository.repo });
    expect(spawned[0]?.worktree?.branch).toMatch(/^troupe\/general-purpose-[a-z0-9]{4}$/);
    expect(spawned[0]?.cwd).toBe(spawned[0]?.worktree?.path);
    expect(text).toContain("It changed nothing, and its worktree was removed.");
    expect(repository.traces()).toMatchObject({ branches: ["main"], worktrees: 1 });
  });

  test("options without a feature are not offered", async () => {
    const { team } = await tryAgent({});
    const tool = team.asked("lead")[0]?.request.tools.find(({ name }) => name === "Agent");
    const offered = JSON.stringify(tool?.inputSchema);
    expect(offered).toContain("run_in_background");
    expect(offered).not.toMatch(/team_name|remote|bubble/);
  });
});

describe("bad input is a clear error for the model and leaves nothing behind", () => {
  const bare = (...args: string[]) => {
    const tree = tempTree();
    mkdirSync(tree.path("repo"));
    execFileSync("git", ["init", "-q", ...args, tree.path("repo")]);
    return tree.path("repo");
  };
  const cases: [string, object, RegExp, (() => Partial<TeamOptions>)?][] = [
    [
      "an unknown type",
      { subagent_type: "general" },
      /Unknown agent type "general".*Available types: (?!.*(?:guide|statusline)).*Explore.*general-purpose.*Leave subagent_type out for general-purpose\./,
    ],
    ["a type that is nearly right", { subagent_type: "Explor" }, /Did you mean Explore\?/],
    ["an unknown model", { model: "no-such-model" }, /no-such-model/],
    ["a cwd that does not exist", { cwd: "/nowhere/at/all" }, /"\/nowhere\/at\/all" is not an existing folder/],
    ["a relative cwd", { cwd: "src" }, /must be an absolute path/],
    ["cwd with a worktree", { cwd: "/tmp", isolation: "worktree" }, /Set either cwd or isolation, not both:/],
    ["a name that cannot be one", { name: "../x" }, /must be letters/],
    ["the lead's name", { name: "lead" }, /name "lead" is taken/],
    ["isolation: remote", { isolation: "remote" }, /isolation/],
    ["a field that is not known", { colour: "red" }, /colour/],
    ["an empty prompt", { prompt: "" }, /prompt/],
    ["a worktree outside a repository", { isolation: "worktree" }, /not in a git repository/],
    [
      "a worktree in a bare repository",
      { isolation: "worktree" },
      /working tree|bare/,
      () => ({ cwd: bare("--bare") }),
    ],
    ["a worktree before the first commit", { isolation: "worktree" }, /no commit/, () => ({ cwd: bare() })],
  ];
  test.each(cases)("%s", async (_, more, message, options) => {
    const { text, outcome, spawned, team } = await tryAgent(more, options?.());
    expect(outcome).toBe("failed");
    expect(text).toMatch(message);
    expect(spawned).toEqual([]);
    expect(team.asked(/^lead\//)).toEqual([]);
    expect(team.asked("lead")).toHaveLength(2);
  });

  test("a name in use, also within one answer and by a finished agent", async () => {
    const named = agent("work", { name: "scout" });
    const team = await teamSession({
      answer: lead([{ calls: [named, named] }, { calls: [named] }, { text: "over" }], () => ({ text: "done" })),
    });
    await team.ask("go");
    const outcomes = [resultOf(team, 1), resultOf(team, 2), resultOf(team, 1, 2)];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["ok", "failed", "failed"]);
    expect(outcomes[1]?.text).toMatch(/"scout" is taken\. Choose another name, or send that agent a message/);
    expect(team.all("agent.spawned")).toHaveLength(2);
  });

  test("a name of an agent from a previous run of the session", async () => {
    const named = { calls: [agent("work", { name: "scout" })] };
    const child = () => ({ text: "done" });
    const first = await teamSession({ stored: true, answer: lead([named, { text: "over" }], child) });
    await first.ask("go");
    await first.close();
    const again = { stored: true, tree: first.tree, resume: first.session.id };
    const second = await teamSession({ ...again, answer: lead([named, { text: "over" }], child) });
    await second.ask("go");
    expect(resultOf(second, 1, 3)).toMatchObject({
      outcome: "failed",
      text: expect.stringMatching(/"scout" is taken/),
    });
  });

  test("a type that a rule denies is not listed and not started", async () => {
    const { text, team, spawned } = await tryAgent(
      { subagent_type: "Explore" },
      { settings: { permissions: { deny: ["Agent(Explore)"] } } },
    );
    expect(spawned).toEqual([]);
    expect(text).not.toContain("done by child");
    const tool = team.asked("lead")[0]?.request.tools.find(({ name }) => name === "Agent");
    expect(tool?.description).not.toContain("Explore");
    expect(tool?.description).toContain("Plan");
  });

  test("a definition with broken frontmatter is reported and hides no other", async () => {
    const files = {
      "home/.troupe/agents/broken.md": "---\nname: [\n---\nprompt",
      "home/.troupe/agents/fine.md": "---\nname: fine\ndescription: fine\n---\nYou are fine.",
    };
    const { outcome, team, spawned } = await tryAgent({ subagent_type: "fine" }, { files });
    expect(outcome).toBe("ok");
    expect(spawned[0]?.agentType).toBe("fine");
    expect(team.all("notice.raised").some(({ message }) => message.includes("broken.md"))).toBe(true);
  });
});

test("a required server that is missing is named, and nothing is started", async () => {
  const files = {
    "home/.troupe/agents/needy.md":
      "---\nname: needy\ndescription: needs\nrequiredMcpServers: ghost\n---\nYou need it.",
  };
  const { outcome, text, spawned } = await tryAgent({ subagent_type: "needy" }, { files });
  expect({ outcome, spawned }).toEqual({ outcome: "failed", spawned: [] });
  expect(text).toMatch(/needy.*ghost/);
});

test("a dirty repository: the worktree is made from HEAD", async () => {
  const repository = testRepository();
  repository.write("a.txt", "not committed\n");
  const team = await teamSession({
    cwd: repository.repo,
    answer: lead([{ calls: [agent("work", { isolation: "worktree" })] }, { text: "over" }], (ask) =>
      ask.turn === 1
        ? { calls: [{ tool: "Bash", input: { command: "cat a.txt" } }] }
        : { text: ask.result?.text ?? "" },
    ),
  });
  await team.ask("go");
  expect(resultOf(team).text).toMatch(/^one\n|\none\n/);
  expect(execFileSync("cat", [join(repository.repo, "a.txt")], { encoding: "utf8" })).toBe("not committed\n");
});
