import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../team/team-session.ts";
import { testRepository } from "../team/repository.ts";

const isolated = (child: Parameters<typeof lead>[1]) =>
  lead([{ calls: [agent("work", { isolation: "worktree" })] }, { text: "over" }], child);

test("promise 26: asked-for isolation is given or the spawn is refused", async () => {
  const nowhere = await teamSession({ answer: isolated(() => ({ text: "never" })) });
  await nowhere.ask("go");
  expect(resultOf(nowhere).outcome).toBe("failed");
  expect(nowhere.asked(/^lead\//)).toEqual([]);

  const { repo } = testRepository();
  const pwd = { calls: [{ tool: "Bash", input: { command: "pwd" } }] };
  const team = await teamSession({
    cwd: repo,
    answer: isolated((ask) => (ask.turn === 1 ? pwd : { text: `in ${ask.result?.text}` })),
  });
  await team.ask("go");
  const worktree = team.all("agent.spawned")[1]?.worktree?.path ?? "";
  expect(worktree).not.toBe("");
  expect(resultOf(team).text).toContain(`in ${worktree}`);
});

test("promise 27: no worktree with uncommitted or unmerged work is ever removed, and none without is leaked", async () => {
  const kinds = {
    clean: "true",
    dirty: "echo x > new.txt",
    committed: "echo x > c.txt && git add c.txt && git -c user.name=T -c user.email=t@example.com commit -qm work",
  };
  for (const [kind, command] of Object.entries(kinds)) {
    const repository = testRepository();
    const team = await teamSession({
      cwd: repository.repo,
      answer: isolated((ask) =>
        ask.turn === 1 ? { calls: [{ tool: "Bash", input: { command } }] } : { text: "done" },
      ),
    });
    await team.ask("go");
    const kept = kind !== "clean";
    expect(repository.traces().worktrees, kind).toBe(kept ? 2 : 1);
    expect(resultOf(team).text).toMatch(
      kept ? /Its work is on the branch troupe\/agent-/ : /changed nothing in its worktree/,
    );
  }
});
