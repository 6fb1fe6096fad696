import { expect, test } from "vitest";
import { claimObstacle, type ClaimingMember } from "../../../src/team/teammate/claim-rule.ts";
import { sampleTask as task } from "../../support/team/sample-task.ts";

const bob: ClaimingMember = {
  name: "bob",
  tools: ["Read", "Edit"],
  hasBegun: true,
  isLeadWorking: false,
  skipped: new Set(),
};
const reader = { ...bob, tools: ["Read", "Grep", "Bash"] };
const beginner = { ...bob, hasBegun: false };
const duringLead = { ...bob, isLeadWorking: true };
const free = task(1);
const own = task(1, { owner: "bob" });
const open = task(9);
const done = task(9, { status: "completed" });
const blocked = { blockedBy: [9] };
const left = (owner: string, returned?: true) => ({
  owner,
  until: "2026-01-01T00:00:00.000Z",
  ...(returned && { returned }),
});

test.each([
  ["a free task", free, bob, undefined],
  ["its own task", own, bob, undefined],
  ["a task in progress", task(1, { status: "in_progress", owner: "alice" }), bob, "not_pending"],
  ["its own task in progress", task(1, { status: "in_progress", owner: "bob" }), bob, "not_pending"],
  ["a completed task", task(1, { status: "completed" }), bob, "not_pending"],
  ["the task of another member", task(1, { owner: "alice" }), bob, "owned"],
  ["the lead's task", task(1, { owner: "team-lead" }), bob, "owned"],
  ["the user's task", task(1, { owner: "user" }), bob, "owned"],
  ["a blocked task", task(1, blocked), bob, "blocked"],
  ["its own blocked task", task(1, { ...blocked, owner: "bob" }), bob, "blocked"],
  ["a task whose blocker is done", task(2, { blockedBy: [8] }), bob, undefined],
  ["a task that needs a tool it has", task(1, { needs: ["Edit"] }), bob, undefined],
  ["a task that needs a tool it lacks", task(1, { needs: ["Bash"] }), bob, "unfit"],
  ["its own task that needs a tool it lacks", task(1, { owner: "bob", needs: ["Bash"] }), bob, "unfit"],
  ["a task that is on the way to it", free, { ...bob, skipped: new Set([1]) }, "skipped"],
  ["a task that another member returned", task(1, { past: [left("alice", true)] }), bob, "returned"],
  ["a task that it returned", task(1, { past: [left("bob", true)] }), bob, "returned"],
  ["a returned task that is its own now", task(1, { owner: "bob", past: [left("alice", true)] }), bob, undefined],
  ["a task whose last owner ended", task(1, { past: [left("bob", true), left("alice")] }), bob, undefined],
  ["a task for a member that only reads", free, reader, "reads_only"],
  ["a task whose needs a reader has", task(1, { needs: ["Read"] }), reader, "reads_only"],
  ["a reader's own task", own, reader, undefined],
  ["a task for a member that has not ended its first turn", free, beginner, "not_begun"],
  ["the own task of a member that has not begun", own, beginner, undefined],
  ["a task while the lead's turn runs", free, duringLead, "lead_works"],
  ["its own task while the lead's turn runs", own, duringLead, undefined],
] as const)("%s", (_, wanted, member, obstacle) => {
  const list = [wanted, open, task(8, { status: "completed" })];
  expect(claimObstacle(wanted, { list, member })).toBe(obstacle);
});

test("a blocker that is done blocks nothing", () => {
  const waiting = task(1, blocked);
  expect(claimObstacle(waiting, { list: [waiting, done], member: bob })).toBeUndefined();
});
