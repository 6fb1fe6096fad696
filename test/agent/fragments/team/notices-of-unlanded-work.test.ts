import { expect, test } from "vitest";
import { sessionResumed, teamDeleted, teamIdlePrompt } from "../../../../src/agent/index.ts";

const work = { path: "/trees/a", branch: "troupe/a", uncommittedFiles: 0, uncommitted: [], commits: 2 };
const unlanded = [{ owner: "alice", hasEnded: false, work }];
const line = '- alice, on the branch troupe/a: 2 commits not landed. Next: Land (branches: ["troupe/a"]).';

test("the notice before the end, the resume notice and the end of a team name work that has not landed", () => {
  const run = { endedAt: "now", isClosed: true, isTurnOpen: false, lostCommands: [], voidPlans: ["bob"] };
  const resumed = sessionResumed(run, [{ members: [], tasks: [], unlanded }]);
  expect(teamIdlePrompt({ openTasks: [], hasNews: false, unlanded })).toContain(line);
  expect(resumed).toContain(line);
  expect(resumed).toContain("The plan of bob from before cannot be answered any more: its request_id is void.");
  const deleted = teamDeleted({ team: "alpha", unlanded });
  expect(deleted).toContain(line);
  expect(deleted).not.toContain("is over");
});

test("a member that has not ended commits its files first", () => {
  const open = { ...work, commits: 0, uncommitted: ["a.ts"] };
  const text = teamIdlePrompt({ openTasks: [], hasNews: false, unlanded: [{ ...unlanded[0]!, work: open }] });
  expect(text).toContain("have alice commit its files with SendMessage, then Land");
});
