import { expect, it } from "vitest";
import { createWorktree, finishWorktree, land, listWorktrees } from "../../../src/team/index.ts";
import { newAgentId, type TestRepository, testRepository } from "../../support/git/test-repository.ts";

const mergeOf = async ({ place }: TestRepository) => {
  const [{ unmerged, mergedInto } = { unmerged: -1 }] = (await listWorktrees(place)).worktrees;
  return { unmerged, mergedInto };
};

/** A worktree with two commits, and a main that has moved on. */
async function withWork(repo: TestRepository) {
  const worktree = await createWorktree(repo.place, { agentId: newAgentId() });
  repo.commit("other", { "other.txt": "o\n" });
  expect(await mergeOf(repo)).toEqual({ unmerged: 0, mergedInto: undefined });
  repo.commit("work", { "b.txt": "b\n" }, worktree.path);
  repo.commit("more", { "c.txt": "c\n" }, worktree.path);
  expect(await mergeOf(repo)).toEqual({ unmerged: 2, mergedInto: undefined });
  return worktree;
}

it.each([
  ["merged", (repo: TestRepository, branch: string) => repo.git("merge", "-q", branch)],
  ["cherry-picked", (repo: TestRepository, branch: string) => repo.git("cherry-pick", `${branch}~1`, branch)],
  ["landed", (repo: TestRepository, branch: string) => land(repo.place, { branches: [branch] })],
])("a branch whose commits were %s is listed as merged, until it has another one", async (_how, bring) => {
  const repo = testRepository();
  const { branch, path } = await withWork(repo);
  await bring(repo, branch);
  expect(await mergeOf(repo)).toEqual({ unmerged: 0, mergedInto: "main" });
  repo.commit("after", { "d.txt": "d\n" }, path);
  expect(await mergeOf(repo)).toEqual({ unmerged: 1, mergedInto: undefined });
});

it("counts only the commits that main does not have", async () => {
  const repo = testRepository();
  const { branch } = await withWork(repo);
  repo.git("cherry-pick", `${branch}~1`);
  expect(await mergeOf(repo)).toEqual({ unmerged: 1, mergedInto: undefined });
});

it("commits on another branch than its own are not merged", async () => {
  const repo = testRepository();
  const { branch, path } = await withWork(repo);
  repo.git("merge", "-q", branch);
  repo.gitIn(path, "switch", "-q", "--detach");
  repo.commit("on no branch", { "d.txt": "d\n" }, path);
  expect(await mergeOf(repo)).toEqual({ unmerged: 1, mergedInto: undefined });
});

it("a worktree that is removed after a landing tells how many commits have landed", async () => {
  const repo = testRepository();
  const { branch, name } = await withWork(repo);
  await land(repo.place, { branches: [branch] });
  expect(await finishWorktree(repo.place, { name })).toMatchObject({
    outcome: "removed",
    landed: { commits: 2, target: "main" },
  });
});
