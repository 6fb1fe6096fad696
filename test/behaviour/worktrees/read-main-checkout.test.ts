import { existsSync, readFileSync, writeFileSync } from "node:fs";
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
      const own = { file_path: "a.txt", old_string: "one", new_string: "two" };
      if (ask.turn === 3) return { calls: [{ tool: "Edit", input: own }] };
      if (ask.turn === 4) return { calls: [{ tool: "Read", input: { file_path: "a.txt" } }] };
      return { text: "done" };
    }),
  });
  await team.ask("go");
  const { worktree } = team.all("agent.spawned", "lead/dev")[0] ?? {};
  const copy = join(worktree?.path ?? "", "a.txt");
  expect(heard[0]).toContain(`[This is the main checkout. Your copy is ${copy}.]`);
  expect(heard[1]).toContain(`Your copy is ${copy}. Change your copy instead.`);
  expect(heard[2]).toMatch(/^Edited a.txt/);
  expect(heard[3]).not.toContain("main checkout");
});

test("an agent in a worktree copies a file of the main checkout into it, behind walls, and cannot write back", async () => {
  const repo = testRepository();
  const local = join(repo.repo, "local.txt");
  writeFileSync(local, "only here\n");
  const heard: string[] = [];
  const team = await teamSession({
    cwd: repo.repo,
    flags: { permissionMode: "acceptEdits" },
    env: { TROUPE_SANDBOX: "required" },
    answer: lead([{ calls: [agent("work", { isolation: "worktree", name: "dev" })] }, { text: "over" }], (ask) => {
      if (ask.result) heard.push(ask.result.text);
      if (ask.turn === 1)
        return { calls: [{ tool: "Bash", input: { command: `cp ${local} copied.txt && cat copied.txt` } }] };
      if (ask.turn === 2)
        return { calls: [{ tool: "Bash", input: { command: `echo back > copied.txt && cp copied.txt ${local}` } }] };
      return { text: "done" };
    }),
  });
  await team.ask("go");
  const { worktree } = team.all("agent.spawned", "lead/dev")[0] ?? {};
  expect(heard[0]).toContain("only here");
  expect(existsSync(join(worktree?.path ?? "", "copied.txt"))).toBe(true);
  expect(readFileSync(local, "utf8")).toBe("only here\n");
});
