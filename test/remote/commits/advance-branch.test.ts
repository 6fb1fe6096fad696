import { join } from "node:path";
import { expect, test } from "vitest";
import { advanceBranch } from "../../../src/remote/commits/advance-branch.ts";
import { testRepository } from "../../support/git/test-repository.ts";

/** A repository, and a clone that bundles its new commits. */
function apart() {
  const here = testRepository();
  const base = here.git("rev-parse", "HEAD").trim();
  const clone = join(here.root, "clone");
  here.git("clone", "-q", here.repo, clone);
  here.gitIn(clone, "config", "user.name", "Far");
  here.gitIn(clone, "config", "user.email", "far@example.com");
  let count = 0;
  const bundle = () => {
    const file = join(here.root, `${++count}.bundle`);
    here.gitIn(clone, "bundle", "create", "-q", file, "HEAD", `^${base}`);
    return { file, head: here.gitIn(clone, "rev-parse", "HEAD").trim(), base, branch: "troupe/agent-1" };
  };
  const commit = (name: string) => {
    here.gitIn(clone, "commit", "-q", "--allow-empty", "-m", name);
    return bundle();
  };
  const subjects = (branch: string) => here.git("log", "--format=%s", `main..${branch}`).trim().split("\n");
  return { ...here, clone, commit, bundle, subjects };
}

test("a branch advances with its member's commits, and back when it drops some", async () => {
  const { place, commit, bundle, subjects, gitIn, clone } = apart();
  const one = commit("one");
  expect(await advanceBranch(place, one)).toMatchObject({ branch: "troupe/agent-1" });
  await advanceBranch(place, commit("two"));
  expect(subjects("troupe/agent-1")).toEqual(["two", "one"]);
  const two = bundle();
  gitIn(clone, "commit", "-q", "--amend", "--allow-empty", "-m", "two, but better");
  await advanceBranch(place, { ...bundle(), was: two.head });
  expect(subjects("troupe/agent-1")).toEqual(["two, but better", "one"]);
});

test("a branch that was moved or checked out by another user is left alone", async () => {
  const { place, commit, subjects, git } = apart();
  await advanceBranch(place, commit("one"));
  git("checkout", "-q", "troupe/agent-1");
  expect(await advanceBranch(place, commit("two"))).toMatchObject({ branch: "troupe/agent-1-2" });
  git("commit", "-q", "--allow-empty", "-m", "mine");
  git("checkout", "-q", "main");
  expect(await advanceBranch(place, commit("three"))).toMatchObject({ branch: "troupe/agent-1-2" });
  expect(subjects("troupe/agent-1")).toEqual(["mine", "one"]);
  expect(subjects("troupe/agent-1-2")).toEqual(["three", "two", "one"]);
});

test("commits that do not descend from the base are refused", async () => {
  const { place, commit, gitIn, clone, bundle } = apart();
  commit("one");
  gitIn(clone, "checkout", "-q", "--orphan", "other");
  gitIn(clone, "commit", "-q", "--allow-empty", "-m", "of nothing");
  await expect(advanceBranch(place, bundle())).rejects.toThrow(
    "The returned commits do not descend from the agent's base commit.",
  );
});
