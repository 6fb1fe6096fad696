import { expect, test } from "vitest";
import type { TaskChange } from "../../../src/store/index.ts";
import { createSkippedTasks } from "../../../src/team/teammate/skipped-tasks.ts";
import { sampleTask as task } from "../../support/team/sample-task.ts";

type Change = Pick<TaskChange, "by" | "item" | "freed" | "previous">;
const change = (by: string, item: Change["item"], more: Partial<Change> = {}): Change => ({
  by,
  item,
  freed: [],
  ...more,
});

test("a task that was just assigned is skipped until its mail is read, it is freed, or another member gets it", () => {
  const skipped = createSkippedTasks("bob");
  const given = task(1, { owner: "bob" });
  skipped.observe(change("team-lead", given));
  expect([...skipped.ids]).toEqual([1]);
  skipped.onTurnEnded();
  expect([...skipped.ids]).toEqual([]);
  // The owner stays the same, so no mail starts it.
  skipped.observe(change("team-lead", given, { previous: { owner: "bob", status: "pending" } }));
  expect([...skipped.ids]).toEqual([]);
  skipped.observe(change("team-lead", given, { previous: { owner: "bob", status: "completed" } }));
  expect([...skipped.ids]).toEqual([1]);
  skipped.onTurnEnded();
  const reassigned = change("team-lead", given, { previous: { owner: "alice", status: "pending" } });
  skipped.observe(reassigned);
  expect([...skipped.ids]).toEqual([1]);
  skipped.observe(change("alice", task(9, { status: "completed" }), { freed: [1] }));
  expect([...skipped.ids]).toEqual([]);
  skipped.observe(reassigned);
  skipped.observe(change("team-lead", task(1, { owner: "alice" })));
  expect([...skipped.ids]).toEqual([]);
});
