import { expect, test } from "vitest";
import { branchesOf } from "../../../src/team/land/branches-of.ts";
import { testRepository } from "../../support/git/test-repository.ts";

test("an agent that was renamed is landed by its name, and not by the name that it was asked for", async () => {
  const repo = testRepository();
  repo.git("branch", "troupe/fixer-aaaa");
  repo.git("branch", "troupe/fixer-bbbb");
  const known: Readonly<Record<string, string>> = { fixer: "troupe/fixer-aaaa", "fixer-2": "troupe/fixer-bbbb" };
  const of = (name: string) =>
    branchesOf(repo.place, {
      names: [name],
      branchOf: async (each) => known[each],
      worksHere: async () => false,
    });
  expect(await of("fixer-2")).toEqual({ branches: ["troupe/fixer-bbbb"], problems: [] });
  expect(await of("fixer")).toEqual({ branches: ["troupe/fixer-aaaa"], problems: [] });
});
