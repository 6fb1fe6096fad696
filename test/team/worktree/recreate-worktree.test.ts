import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { createWorktree, finishWorktree, recreateWorktree, worktreeState } from "../../../src/team/index.ts";
import { newAgentId, testRepository } from "../../support/git/test-repository.ts";

it("a worktree is named after its agent, with four characters of its id", async () => {
  const repo = testRepository();
  const agentId = newAgentId();
  const made = await createWorktree(repo.place, { agentId, label: "implementer" });
  expect(made.branch).toBe(`troupe/implementer-${agentId.slice(-4)}`);
  expect(basename(made.path)).toBe(`implementer-${agentId.slice(-4)}`);
  const odd = await createWorktree(repo.place, { agentId: newAgentId(), label: "my plugin:Größe/../x" });
  expect(odd.branch).toMatch(/^troupe\/my-plugin-gr-e-x-\w{4}$/);
});

it("a taken name gets more characters of the id", async () => {
  const repo = testRepository();
  const agentId = newAgentId();
  repo.git("branch", `troupe/dev-${agentId.slice(-4)}`);
  const made = await createWorktree(repo.place, { agentId, label: "dev" });
  expect(made.branch).toBe(`troupe/dev-${agentId.slice(-12)}`);
  expect(made.path).toBe(join(`${repo.repo}.troupe`, `dev-${agentId.slice(-12)}`));
});

it("a removed worktree is made again at the same path from the current commit", async () => {
  const repo = testRepository();
  const agentId = newAgentId();
  const { path, branch, name } = await createWorktree(repo.place, { agentId });
  expect((await finishWorktree(repo.place, { name })).outcome).toBe("removed");
  const again = await recreateWorktree(repo.place, { agentId, path, branch });
  expect(again).toMatchObject({ path, branch, base: repo.git("rev-parse", "HEAD") });
  expect(again.facts.recreated).toMatch(/was gone and was made again, on branch troupe\/agent-\w+\. It starts from/);
  expect(existsSync(join(path, "a.txt"))).toBe(true);
});

it("a worktree whose folder was deleted comes back with the commits of its branch", async () => {
  const repo = testRepository();
  const agentId = newAgentId();
  const { path, branch, base } = await createWorktree(repo.place, { agentId });
  const tip = repo.commit("work", { "b.txt": "work\n" }, path);
  rmSync(path, { recursive: true });
  repo.commit("main continues", { "c.txt": "c\n" });
  const again = await recreateWorktree(repo.place, { agentId, path, branch });
  expect(again).toMatchObject({ path, branch, base });
  expect(repo.gitIn(path, "rev-parse", "HEAD")).toBe(tip);
  expect(readFileSync(join(path, "b.txt"), "utf8")).toBe("work\n");
  expect(again.facts.recreated).toContain("It has the commits of that branch.");
  expect(await worktreeState(repo.place, path)).toMatchObject({ commits: 1, uncommitted: [], target: "main" });
});

it("a branch that is kept without its worktree and record is checked out again", async () => {
  const repo = testRepository();
  const agentId = newAgentId();
  const path = join(`${repo.repo}.troupe`, "agent-7c1dfx0w");
  repo.git("branch", "troupe/agent-7c1dfx0w");
  const again = await recreateWorktree(repo.place, { agentId, path, branch: "troupe/agent-7c1dfx0w" });
  expect(repo.gitIn(again.path, "symbolic-ref", "--short", "HEAD")).toBe("troupe/agent-7c1dfx0w");
});

it("a branch that is checked out in another folder stays there, and nothing is left behind", async () => {
  const repo = testRepository();
  const agentId = newAgentId();
  const { path, branch } = await createWorktree(repo.place, { agentId });
  const tip = repo.commit("work", { "b.txt": "work\n" }, path);
  rmSync(path, { recursive: true });
  repo.git("worktree", "unlock", path);
  repo.git("worktree", "prune");
  repo.git("switch", "-q", branch);
  await expect(recreateWorktree(repo.place, { agentId, path, branch })).rejects.toThrow(/checked out in .*repo/);
  expect(repo.git("rev-parse", branch)).toBe(tip);
  expect(existsSync(path)).toBe(false);
});
