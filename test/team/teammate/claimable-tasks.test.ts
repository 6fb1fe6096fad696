import { expect, test } from "vitest";
import type { WorkItem } from "../../../src/protocol/index.ts";
import { createClaimableTasks } from "../../../src/team/teammate/claimable-tasks.ts";
import { sampleTask as task } from "../../support/team/sample-task.ts";

const numbers = (list: readonly WorkItem[]) => list.map(({ id }) => id);

test("claimable tasks have no owner and no blockers, and the member has the tools for them", () => {
  const free = createClaimableTasks("bob", () => ["Read"]);
  const list = [
    task(1, { status: "in_progress", owner: "bob", blocks: [4] }),
    task(2, { needs: ["Write"] }),
    task(3, { needs: ["Read"] }),
    task(4, { blockedBy: [1] }),
    task(5, { owner: "alice" }),
    task(6),
  ];
  expect(numbers(free.claimableIn(list))).toEqual([3, 6]);
});

test("its own task becomes claimable when its blocker completes, not when it only got mail", () => {
  const free = createClaimableTasks("bob", () => []);
  const done = task(1, { status: "completed", owner: "alice", blocks: [2] });
  const own = [task(2, { owner: "bob", blockedBy: [1] }), task(3, { owner: "bob" })];
  expect(numbers(free.claimableIn([done, ...own]))).toEqual([]);
  free.observe({ what: "completed", by: "alice", item: done, freed: [2] });
  expect(numbers(free.claimableIn([done, ...own]))).toEqual([2]);
  expect(numbers(free.claimableIn([{ ...done, status: "in_progress" }, ...own]))).toEqual([]);
  expect(numbers(free.claimableIn([done, task(2, { owner: "alice", blockedBy: [1] })]))).toEqual([]);
  const later = createClaimableTasks("bob", () => []);
  later.loadList([done, ...own]);
  expect(numbers(later.claimableIn([done, ...own]))).toEqual([2]);
});

test("a released task is claimable again after the lead or user changes it, or its blocker completes", () => {
  const free = createClaimableTasks("bob", () => []);
  const list = [task(1), task(2)];
  const claimed = (id: number) =>
    free.observe({ what: "claimed", by: "bob", item: task(id, { status: "in_progress", owner: "bob" }), freed: [] });
  free.observe({ what: "changed", by: "bob", item: task(2, { subject: "not its own" }), freed: [] });
  claimed(1);
  free.observe({ what: "released", by: "bob", item: task(1), freed: [] });
  expect(numbers(free.claimableIn(list))).toEqual([2]);
  free.observe({ what: "changed", by: "bob", item: task(1, { subject: "too hard" }), freed: [] });
  expect(numbers(free.claimableIn(list))).toEqual([2]);
  // Another member also failed at it: the two do not claim it in turns.
  free.observe({ what: "claimed", by: "alice", item: task(1, { status: "in_progress", owner: "alice" }), freed: [] });
  free.observe({ what: "released", by: "alice", item: task(1), freed: [] });
  expect(numbers(free.claimableIn(list))).toEqual([2]);
  free.observe({ what: "changed", by: "team-lead", item: task(1, { subject: "easier" }), freed: [] });
  expect(numbers(free.claimableIn(list))).toEqual([1, 2]);
  claimed(2);
  free.observe({ what: "released", by: "bob", item: task(2, { blockedBy: [9] }), freed: [] });
  expect(numbers(free.claimableIn(list))).toEqual([1]);
  free.observe({ what: "completed", by: "alice", item: task(9, { status: "completed" }), freed: [2] });
  expect(numbers(free.claimableIn(list))).toEqual([1, 2]);
  free.observe({ what: "created", by: "bob", item: task(3), freed: [] });
  expect(numbers(free.claimableIn([...list, task(3)]))).toEqual([1, 2, 3]);
});
