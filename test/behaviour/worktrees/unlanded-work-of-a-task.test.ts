import { expect, test } from "vitest";
import { testRepository } from "../../support/git/test-repository.ts";
import { alpha, bash, inState, leading, mate, report } from "../../support/team/scripted-team.ts";
import type { TeamSession } from "../../support/team/team-session.ts";

const commit = `echo b > b.txt && git add b.txt && git -c user.name=T -c user.email=t@example.com commit -qm b && echo c > c.txt`;
const task = (subject: string, more: object) => ({
  tool: "TaskCreate",
  input: { subject, description: subject, ...more },
});
const complete = (taskId: number) => ({ tool: "TaskUpdate", input: { taskId, status: "completed" } });

const resultsOf = (team: TeamSession, path: string) =>
  team.asked(path).flatMap(({ results }) => results.map(({ text }) => text));

test("member that completes a task in its worktree hears that others do not have the work, and so does the next owner", async () => {
  const repo = testRepository();
  const team = await alpha({
    cwd: repo.repo,
    answer: leading(
      [
        { calls: [task("build", { owner: "dev" }), task("test", { owner: "tester", blockedBy: [1] })] },
        { calls: [mate("tester"), mate("dev", "build it", { isolation: "worktree" })] },
      ],
      ({ agent, turn }) => {
        if (agent !== "dev@alpha") return { text: "done" };
        return { 1: { calls: [bash(commit)] }, 2: { calls: [complete(1)] } }[turn] ?? { text: "built" };
      },
    ),
  });
  await team.ask("go");
  await inState(team, "dev", "idle");
  await team.until(report(/when it reported: branch troupe\/dev-\w{4}: 1 commit that main does not have/));
  await expect
    .poll(() => JSON.stringify(team.all("prompt.admitted", "tester@alpha")))
    .toMatch(
      /Nothing blocks it any more.*The work of dev for #1 is only in its worktree, on the branch troupe\/dev-\w{4}: 1 commit not landed, 1 uncommitted file \(c\.txt\)\. If you need it, ask team-lead to land it\./,
    );
  expect(resultsOf(team, "dev@alpha").at(-1)).toMatch(
    /^Task #1 is completed\. Unblocked now: #2 \(tester\)\. Your work is only in your worktree, on the branch (troupe\/dev-\w{4}): 1 commit not landed, 1 uncommitted file \(c\.txt\)\. The agent that does #2 in another folder does not have it\. Commit it all: only commits land\. Say in your report that team-lead should bring it to the others with Land \(branches: \["\1"\]\)\. TaskList shows what is left\.$/,
  );
});

test("next owner in the shared folder reads that uncommitted work must be committed, then landed", async () => {
  const team = await alpha({
    cwd: testRepository().repo,
    answer: leading(
      [
        { calls: [task("build", { owner: "dev" }), task("test", { owner: "tester", blockedBy: [1] })] },
        { calls: [mate("tester"), mate("dev", "build it", { isolation: "worktree" })] },
      ],
      ({ agent, turn }) => {
        if (agent !== "dev@alpha") return { text: "done" };
        return { 1: { calls: [bash("echo c > c.txt")] }, 2: { calls: [complete(1)] } }[turn] ?? { text: "built" };
      },
    ),
  });
  await team.ask("go");
  await expect
    .poll(() => JSON.stringify(team.all("prompt.admitted", "tester@alpha")))
    .toContain("1 uncommitted file (c.txt). If you need it, ask dev to commit it, then ask team-lead to land it.");
});

test("lead that completes the task of a member reads how to land its branch", async () => {
  const repo = testRepository();
  const team = await alpha({
    cwd: repo.repo,
    answer: leading(
      [
        { calls: [task("build", { owner: "dev" }), task("test", { owner: "team-lead", blockedBy: [1] })] },
        { calls: [mate("dev", "build it", { isolation: "worktree" })] },
        { text: "I wait" },
        { calls: [complete(1)] },
      ],
      ({ turn }) => (turn === 1 ? { calls: [bash(commit)] } : { text: "built" }),
    ),
  });
  await team.ask("go");
  await expect
    .poll(() => resultsOf(team, "lead").at(-1))
    .toMatch(
      /Unblocked now: #2 \(team-lead\)\. The work of dev is only in its worktree, on the branch (troupe\/dev-\w{4}): 1 commit not landed, 1 uncommitted file \(c\.txt\)\. The agent that does #2 in another folder does not have it\. Have dev commit it all: only commits land\. Bring it to your branch with Land \(branches: \["\1"\]\)\./,
    );
});

test.each([
  ["reviewer", { subagent_type: "reviewer" }, "git diff main...$1"],
  ["worktree", { isolation: "worktree" }, "git merge $1 in your folder"],
])("next owner of the kind %s reads how to see the branch, and nobody has to land it first", async (_, next, way) => {
  const repo = testRepository();
  const team = await alpha({
    cwd: repo.repo,
    answer: leading(
      [
        { calls: [task("build", { owner: "dev" }), task("look", { owner: "next", blockedBy: [1] })] },
        { calls: [mate("next", "wait", next), mate("dev", "build it", { isolation: "worktree" })] },
      ],
      ({ agent, turn }) => {
        if (agent !== "dev@alpha") return { text: "done" };
        const clean = `${commit} && rm c.txt`;
        return { 1: { calls: [bash(clean)] }, 2: { calls: [complete(1)] } }[turn] ?? { text: "built" };
      },
    ),
  });
  await team.ask("go");
  await expect
    .poll(() => resultsOf(team, "dev@alpha").at(-1))
    .toBe("Task #1 is completed. Unblocked now: #2 (next). TaskList shows what is left.");
  const told = /on the branch (troupe\/dev-\w{4}): 1 commit not landed\. If you need it, run ([^.]*(?:\.{3})?[^.]*)\./;
  await expect.poll(() => JSON.stringify(team.all("prompt.admitted", "next@alpha"))).toMatch(told);
  const [, branch = "", command] = told.exec(JSON.stringify(team.all("prompt.admitted", "next@alpha"))) ?? [];
  expect(command).toBe(way.replace("$1", branch));
});
