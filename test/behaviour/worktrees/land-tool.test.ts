import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import type { Answer, Ask } from "../../../src/testing.ts";
import { type TestRepository, testRepository } from "../../support/git/test-repository.ts";
import { agent, lead, resultOf, teamSession, type TeamSession } from "../../support/team/team-session.ts";

const landCall = (...branches: string[]) => ({ tool: "Land", input: { branches } });
const commit = (file: string, text: string) =>
  `printf '${text}\\n' > ${file} && git add ${file} && git -c user.name=T -c user.email=t@example.com commit -qm "write ${file}"`;

/** A branch with one commit, as an agent's worktree leaves it. */
function branch(repo: TestRepository, name: string, files: Readonly<Record<string, string>>): string {
  repo.git("switch", "-qc", name);
  repo.commit(`work of ${name}`, files);
  repo.git("switch", "-q", "main");
  return name;
}

interface Landing {
  readonly input: object;
  readonly mode?: PermissionMode;
  readonly settings?: object;
  readonly child?: (ask: Ask) => Answer;
}

/** A lead that calls Land once. */
async function landing(repo: TestRepository, { input, mode, settings, child }: Landing): Promise<TeamSession> {
  const team = await teamSession({
    cwd: repo.repo,
    ...(settings && { settings }),
    ...(mode && { flags: { permissionMode: mode } }),
    answer: lead([{ calls: [{ tool: "Land", input }] }, { text: "over" }], child ?? (() => ({ text: "never" }))),
  });
  await team.ask("land it");
  return team;
}

test("lead lands the commits of an agent in a worktree, as the agent's result says", async () => {
  const repo = testRepository();
  const team = await teamSession({
    cwd: repo.repo,
    answer: lead(
      [
        { calls: [agent("work", { isolation: "worktree", name: "dev" })] },
        (ask) => ({ calls: [landCall(/branches: \["([^"]+)"\]/.exec(ask.result?.text ?? "")?.[1] ?? "")] }),
        { text: "over" },
      ],
      (ask) =>
        ask.turn === 1
          ? { calls: [{ tool: "Bash", input: { command: commit("b.txt", "b") } }] }
          : { text: "committed" },
    ),
  });
  await team.ask("go");
  const [started, landed] = [resultOf(team).text, resultOf(team, 1, 2).text];
  expect(started).toMatch(/branch troupe\/dev-\w{4}: 1 commit that main does not have, 0 uncommitted files/);
  expect(started).toMatch(/Bring it to main with Land \(branches: \["troupe\/dev-\w{4}"\]\)\./);
  expect(landed).toMatch(/Landed on main, now at \w{9}:\n- troupe\/dev-\w{4}: 1 commit/);
  expect(landed).toContain(
    "No check was run. Run the tests yourself if you may; if you may not, tell the user that no check was run.",
  );
  expect(landed).toContain("The branches and worktrees stay for now: leave them.");
  expect(repo.git("branch", "--list", "troupe/*", "--format=%(refname:short)")).toMatch(/^troupe\/dev-\w{4}$/);
  expect(readFileSync(join(repo.repo, "b.txt"), "utf8")).toBe("b\n");
  expect(repo.git("log", "-1", "--format=%s")).toBe("write b.txt");
});

test("agent that continues after its work has landed is not said to have changed nothing", async () => {
  const repo = testRepository();
  const team = await teamSession({
    cwd: repo.repo,
    answer: lead(
      [
        { calls: [agent("work", { isolation: "worktree", name: "dev" })] },
        { calls: [landCall("dev")] },
        { calls: [{ tool: "SendMessage", input: { to: "dev", message: "anything else?" } }] },
        { text: "waiting" },
        { text: "over" },
      ],
      (ask) =>
        ask.turn === 1 ? { calls: [{ tool: "Bash", input: { command: commit("b.txt", "b") } }] } : { text: "no" },
    ),
  });
  await team.ask("go");
  await team.quiet();
  const told = JSON.stringify(team.all("prompt.admitted", "lead").at(-1)?.parts);
  expect(told).toContain("Its commit has landed on main. It left nothing else, and its worktree was removed.");
  expect(repo.traces().worktrees).toBe(1);
});

test("lead names agents instead of branches", async () => {
  const repo = testRepository();
  branch(repo, "troupe/dev-7c1d", { "b.txt": "b\n" });
  const team = await landing(repo, { input: { branches: ["Dev"] } });
  expect(resultOf(team)).toMatchObject({
    outcome: "ok",
    text: expect.stringContaining("- troupe/dev-7c1d: 1 commit") as string,
  });
  const unknown = await landing(repo, { input: { branches: ["tester"] } });
  expect(resultOf(unknown).text).toBe(
    "Nothing was landed: there is no branch and no agent with a branch named tester. Branches of agents: troupe/dev-7c1d.",
  );
});

test("a conflict goes to an agent of the session, and its resolution lands", async () => {
  const repo = testRepository();
  const names = ["one", "two"].map((name) => branch(repo, `troupe/${name}`, { "a.txt": `by ${name}\n` }));
  const team = await landing(repo, {
    input: { branches: names },
    child: ({ said, turn, result }) => {
      if (turn === 1)
        return { calls: [{ tool: "Read", input: { file_path: /Work in (\S+):/.exec(said)?.[1] + "/a.txt" } }] };
      const path = /Work in (\S+):/.exec(said)?.[1] ?? "";
      return result?.tool === "Read"
        ? { calls: [{ tool: "Write", input: { file_path: join(path, "a.txt"), content: "one and two\n" } }] }
        : { text: "kept both" };
    },
  });
  expect(resultOf(team).text).toMatch(/- troupe\/one: 1 commit\n- troupe\/two: 1 commit; an agent resolved a conflict/);
  expect(readFileSync(join(repo.repo, "a.txt"), "utf8")).toBe("one and two\n");
});

test("a conflict that stays says what to do next, and the other branches land", async () => {
  const repo = testRepository();
  const names = ["one", "two"].map((name) => branch(repo, `troupe/${name}`, { "a.txt": `by ${name}\n` }));
  const team = await landing(repo, { input: { branches: names }, child: () => ({ text: "GIVE UP: no" }) });
  expect(resultOf(team)).toMatchObject({ outcome: "failed" });
  expect(resultOf(team).text).toMatch(
    /Landed on main.*:\n- troupe\/one: 1 commit[\s\S]*Not landed:\n- troupe\/two: conflict in a\.txt/,
  );
  expect(resultOf(team).text).toContain("the agent for conflicts did not resolve it: no.\n");
  expect(resultOf(team).text).toContain('Next: have its agent run "git rebase main" in its worktree');
});

test("a branch without new commits says how to get them", async () => {
  const repo = testRepository();
  repo.git("branch", "troupe/one");
  const { outcome, text } = resultOf(await landing(repo, { input: { branches: ["troupe/one"] } }));
  expect([outcome, text]).toEqual([
    "ok",
    "Nothing landed on main.\n- troupe/one: it has no commits that main lacks; nothing to land. If its agent left uncommitted files, have it commit them with SendMessage, then land troupe/one again.",
  ]);
});

test("uncommitted changes of the user stop only the landing that changes the same file", async () => {
  const repo = testRepository();
  branch(repo, "troupe/one", { "b.txt": "b\n" });
  branch(repo, "troupe/two", { "a.txt": "by two\n" });
  writeFileSync(join(repo.repo, "a.txt"), "of the user\n");
  const before = repo.git("rev-parse", "HEAD");
  const stopped = await landing(repo, { input: { branches: ["troupe/one", "troupe/two"] } });
  expect(resultOf(stopped).text).toMatch(
    /^Nothing was landed: .*uncommitted changes are in files that the landing changes too \(a\.txt\).*otherwise tell the user\. Nothing was changed\.$/,
  );
  expect(repo.git("rev-parse", "HEAD")).toBe(before);
  const landed = await landing(repo, { input: { branches: ["troupe/one"] } });
  expect(resultOf(landed).text).toMatch(
    /^Landed on main[\s\S]*Note: uncommitted files stay as they are, outside this landing: a\.txt\.$/,
  );
  expect(readFileSync(join(repo.repo, "a.txt"), "utf8")).toBe("of the user\n");
});

test("all problems of a landing are named at once, with ways that are open to the lead", async () => {
  const repo = testRepository();
  branch(repo, "troupe/one", { "a.txt": "by one\n" });
  const write = { tool: "Write", input: { file_path: join(repo.repo, "a.txt"), content: "by docs-dev\n" } };
  const team = await teamSession({
    cwd: repo.repo,
    flags: { permissionMode: "acceptEdits" },
    answer: lead(
      [
        { calls: [agent("write the docs", { name: "docs-dev" })] },
        {
          calls: [{ tool: "Land", input: { branches: ["one", "troupe/one", "docs-dev", "main"], check: "npm test" } }],
        },
        { calls: [landCall("troupe/one", "troupe/one")] },
        { text: "over" },
      ],
      ({ turn }) =>
        turn === 1
          ? { calls: [{ tool: "Read", input: { file_path: join(repo.repo, "a.txt") } }] }
          : turn === 2
            ? { calls: [write] }
            : { text: "written" },
    ),
  });
  await team.ask("go");
  const said = (turn: number) => resultOf(team, 1, turn).text.replaceAll(repo.repo, "REPO");
  expect(said(2)).toMatchInlineSnapshot(`
    "Nothing was landed:
    - docs-dev has no branch: it works in your folder. Its changes are there already, not committed, and need no landing. Leave docs-dev out.
    - cannot land main: it is the current branch. Name the branches to land on it.
    - there is no branch and no agent with a branch named one. Branches of agents: troupe/one.
    - you may not run the check "npm test" without asking (npm is not among the read-only commands). Use a check that you may run, or call Land without check and tell the user that no check was run. The user can allow this check with --allowedTools "Bash(npm test)", or with land.check "npm test" in the settings.
    - cannot land in REPO: uncommitted changes are in files that the landing changes too (a.txt). You may not commit them here (git commit runs without asking only in an agent's own worktree). If you or your agents made them: start an agent with isolation: worktree that copies them with cp from this folder and commits them, then land its branch first. Otherwise leave them and the branches as they are: nothing is lost. Tell the user, who can commit them, and land with: troupe land troupe/one. The user can also allow you to commit with --allowedTools "Bash(git commit:*)". Nothing was changed."
  `);
  expect(said(3)).toMatchInlineSnapshot(
    `"Nothing was landed: cannot land in REPO: uncommitted changes are in files that the landing changes too (a.txt). You may not commit them here (git commit runs without asking only in an agent's own worktree). If you or your agents made them: start an agent with isolation: worktree that copies them with cp from this folder and commits them, then land its branch first. Otherwise leave them and the branches as they are: nothing is lost. Tell the user, who can commit them, and land with: troupe land troupe/one. The user can also allow you to commit with --allowedTools "Bash(git commit:*)". Nothing was changed."`,
  );
});

test("a teammate in the lead's folder needs no landing", async () => {
  const repo = testRepository();
  const team = await teamSession({
    cwd: repo.repo,
    flags: { team: "crew" },
    answer: lead(
      [{ calls: [agent("write the docs", { name: "docs-dev" })] }, { calls: [landCall("docs-dev")] }, { text: "over" }],
      () => ({ text: "written" }),
    ),
  });
  await team.ask("go");
  expect(resultOf(team, 1, 2).text).toMatch(/^Nothing was landed: docs-dev has no branch: it works in your folder\./);
});

test("untracked files in the way are named, with the next step", async () => {
  const repo = testRepository();
  branch(repo, "troupe/one", { "b.txt": "b\n", "lib/c.txt": "c\n" });
  repo.write("b.txt", "of the user\n");
  repo.write("lib/c.txt", "of the user\n");
  const team = await landing(repo, { input: { branches: ["troupe/one"] } });
  expect(resultOf(team).text).toBe(
    `Nothing was landed: cannot land in ${repo.repo}: untracked files are in the way (b.txt, lib/c.txt): a branch has files of the same name. If you or one of your agents made them, rename or remove them, then land again. Otherwise leave them and tell the user: git has no copy of them. Nothing was changed.`,
  );
  expect(readFileSync(join(repo.repo, "b.txt"), "utf8")).toBe("of the user\n");
});

test("Land is allowed in acceptEdits, asked about in default, and refused in plan mode", async () => {
  const outcomes: Record<string, unknown> = {};
  for (const mode of ["acceptEdits", "default", "plan"] as const) {
    const repo = testRepository();
    branch(repo, "troupe/one", { "b.txt": "b\n" });
    const team = await landing(repo, { input: { branches: ["troupe/one"] }, mode });
    outcomes[mode] = [resultOf(team).outcome, repo.git("log", "--format=%s", "main").split("\n").length];
  }
  expect(outcomes).toEqual({ acceptEdits: ["ok", 2], default: ["denied", 1], plan: ["denied", 1] });
});

test("the check of a model needs a permission; the check of the settings does not", async () => {
  const repo = testRepository();
  branch(repo, "troupe/one", { "b.txt": "b\n" });
  const input = { branches: ["troupe/one"], check: "node -e 0" };
  const refused = await landing(repo, { input, mode: "acceptEdits" });
  expect(resultOf(refused).text).toBe(
    'Nothing was landed: you may not run the check "node -e 0" without asking (node runs any code it is given). Use a check that you may run, or call Land without check and tell the user that no check was run. The user can allow this check with land.check "node -e 0" in the settings.',
  );
  const [tool] = refused.asked("lead")[0]?.request.tools.filter(({ name }) => name === "Land") ?? [];
  expect(JSON.stringify(tool?.inputSchema)).toContain("one that is allowed without asking. If none is, leave it out");
  expect(repo.git("log", "-1", "--format=%s", "main")).toBe("first");
  const allowed = await landing(repo, { input, mode: "acceptEdits", settings: { land: { check: "node -e 0" } } });
  expect(resultOf(allowed).text).toContain("The check passed on the result: node -e 0");
  const other = await landing(repo, { input, mode: "acceptEdits", settings: { land: { check: "true" } } });
  expect(resultOf(other).text).toContain("or call Land without check: then the check of the settings runs (true).");
});

test("a check whose command is not found says where it runs", async () => {
  const repo = testRepository();
  branch(repo, "troupe/one", { "b.txt": "b\n" });
  repo.write("node_modules/x/index.js", "");
  const team = await landing(repo, {
    input: { branches: ["troupe/one"] },
    settings: { land: { check: "no-such-program" } },
  });
  expect(resultOf(team).text).toContain(
    "exit code 127: a command was not found. The check runs in its own worktree, which has only what git tracks plus node_modules.",
  );
});
