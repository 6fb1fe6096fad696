import { join } from "node:path";
import { expect, test } from "vitest";
import { testRepository } from "../../support/git/test-repository.ts";
import { agent, lead, teamSession } from "../../support/team/team-session.ts";

test("an agent in a worktree learns where its copy is from a read and from a refused edit", async () => {
  const repo = testRepository();
  const file_path = join(repo.repo, "a.txt");
  const heard: string[] = [];
  const team = await teamSession({
    cwd: repo.repo,
    flags: { permissionMode: "acceptEdits" },
    more: { asker: "nobody" },
    answer: lead([{ calls: [agent("work", { isolation: "worktree", name: "dev" })] }, { text: "over" }], (ask) => {
      if (ask.result) heard.push(ask.result.text);
      if (ask.turn === 1) return { calls: [{ tool: "Read", input: { file_path } }] };
      if (ask.turn === 2) return { calls: [{ tool: "Edit", input: { file_path, old_string: "a", new_string: "b" } }] };
      if (ask.turn === 3) return { calls: [{ tool: "Read", input: { file_path: "a.txt" } }] };
      return { text: "done" };
    }),
  });
  await team.ask("go");
  const { worktree } = team.all("agent.spawned", "lead/dev")[0] ?? {};
  const copy = join(worktree?.path ?? "", "a.txt");
  expect(heard[0]).toContain(`[This is the main checkout. Your copy is ${copy}.]`);
  expect(heard[1]).toContain(`Your copy is ${copy}. Read your copy first, then edit it.`);
  expect(heard[2]).not.toContain("main checkout");
});
