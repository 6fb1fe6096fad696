import { expect, test } from "vitest";
import type { WorkItem } from "../../../src/protocol/index.ts";
import { createClaimableTasks } from "../../../src/team/teammate/claimable-tasks.ts";
import { sampleTask as task } from "../../support/team/sample-task.ts";

const numbers = (list: readonly WorkItem[]) => list.map(({ id }) => id);

test("free is what is nobody's and not blocked, and what it has the tools for", () => {
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

test("of its own, what was blocked when it got it: not what it has only mail of", () => {
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

test("what it has given back is free for it again when the lead or the user has changed it, or what blocked it is done", () => {
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
  // Others cannot do it either: nobody takes it up in turn.
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
