import { expect, test } from "vitest";
import { limits, promptParts, totalTokens } from "../../../bench/prompt-parts.mjs";
import type { Ask } from "../../../src/testing.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { makeRepository } from "../../support/git/make-repository.ts";
import { alpha, asked, leading, mate } from "../../support/team/scripted-team.ts";

/** The parts that come with every request of an agent. The rules for a lead come with its first prompt. */
const sizeOf = ({ request, said }: Ask) => {
  const notices = said.match(/<troupe-notice>[\s\S]*?<\/troupe-notice>/g) ?? [];
  return totalTokens(promptParts(request, { notices: notices.join("\n") }));
};

test("system prompt and tools of a lead and of a teammate stay below their limits", async () => {
  const tree = tempTree({ "home/x": "", "project/a.txt": "a" });
  makeRepository(tree.path("project"));
  const team = await alpha({
    tree,
    flags: { permissionMode: "acceptEdits" },
    answer: leading(
      [{ calls: [mate("ann"), mate("ben", "work", { isolation: "worktree" })] }, { text: "over" }],
      () => ({
        text: "done",
      }),
    ),
  });
  await team.ask("go");
  for (const name of ["ann@alpha", "ben@alpha"]) {
    await asked(team, name);
    const [first] = team.asked(name);
    expect(first && sizeOf(first)).toBeLessThanOrEqual(limits.teammate);
  }
  const [lead] = team.asked("lead");
  expect(lead && sizeOf(lead)).toBeLessThanOrEqual(limits.lead);
  expect(lead && sizeOf(lead)).toBeGreaterThan(5000);
});
