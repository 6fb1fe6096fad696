import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { worktreeStateLine } from "../../../src/agent/index.ts";
import { createWorktree, finishWorktree, land, worktreeFacts, worktreeState } from "../../../src/team/index.ts";
import { newAgentId, type TestRepository, testRepository } from "../../support/git/test-repository.ts";

const lineOf = async ({ place }: TestRepository, path: string) => {
  const state = await worktreeState(place, path);
  return state && worktreeStateLine(state);
};

it("counts the commits that main does not have, and names the uncommitted files", async () => {
  const repo = testRepository();
  const { path, branch } = await createWorktree(repo.place, { agentId: newAgentId() });
  expect(await lineOf(repo, path)).toBe(`branch ${branch}: 0 commits that main does not have, 0 uncommitted files`);
  repo.commit("work", { "b.txt": "b\n" }, path);
  writeFileSync(join(path, "a.txt"), "changed\n");
  expect(await lineOf(repo, path)).toBe(
    `branch ${branch}: 1 commit that main does not have, 1 uncommitted file (a.txt)`,
  );
  for (const name of ["c", "d", "e", "f", "g"]) writeFileSync(join(path, name), "");
  expect(await lineOf(repo, path)).toMatch(/6 uncommitted files \(a\.txt, c, d, e, f and 1 more\)$/);
});

it("counts no commit that has landed, merged or been rebased on main", async () => {
  const repo = testRepository();
  const { path, branch } = await createWorktree(repo.place, { agentId: newAgentId() });
  repo.commit("other", { "other.txt": "o\n" });
  repo.commit("work", { "b.txt": "b\n" }, path);
  repo.commit("more", { "c.txt": "c\n" }, path);
  repo.git("cherry-pick", `${branch}~1`);
  expect(await worktreeState(repo.place, path)).toMatchObject({ commits: 1, target: "main" });
  await land(repo.place, { branches: [branch] });
  expect(await worktreeState(repo.place, path)).toMatchObject({ commits: 0, uncommitted: [] });
  repo.commit("after", { "d.txt": "d\n" }, path);
  expect(await worktreeState(repo.place, path)).toMatchObject({ commits: 1 });
  repo.git("merge", "-q", branch);
  expect(await worktreeState(repo.place, path)).toMatchObject({ commits: 0 });
});

it("counts against the branch it was made from, whatever is checked out now", async () => {
  const repo = testRepository();
  const { path } = await createWorktree(repo.place, { agentId: newAgentId() });
  repo.commit("work", { "b.txt": "b\n" }, path);
  repo.git("switch", "-qc", "other");
  expect(await worktreeState(repo.place, path)).toMatchObject({ commits: 1, target: "main" });
});

it("is undefined for a folder that is gone or no worktree", async () => {
  const repo = testRepository();
  const { path, name } = await createWorktree(repo.place, { agentId: newAgentId() });
  await finishWorktree(repo.place, { name });
  expect(await worktreeState(repo.place, path)).toBeUndefined();
  expect(await worktreeState(repo.place, repo.root)).toBeUndefined();
});

it("facts name the branch, the base, the checkout and the files from there", async () => {
  const repo = testRepository();
  repo.write(".env", "KEY=1\n");
  const head = repo.git("rev-parse", "HEAD");
  const { path, branch, facts } = await createWorktree(repo.place, {
    agentId: newAgentId(),
    settings: { link: [".env"] },
  });
  expect(facts).toEqual({
    path,
    branch,
    baseCommit: head,
    baseBranch: "main",
    checkout: repo.repo,
    ignored: { copied: [], linked: [".env"], setup: undefined },
  });
  expect(await worktreeFacts(repo.place, path)).toEqual(facts);
});
