import { expect, test } from "vitest";
import type { WorkItem } from "../../../../src/protocol/index.ts";
import { layOutTasks } from "../../../../web/src/views/tasks/task-graph-layout.ts";

const task = (id: number, blockedBy: number[] = [], status = "pending") =>
  ({ id, subject: `task ${id}`, status, blockedBy, blocks: [], acceptance: [] }) as unknown as WorkItem;

test("a task is to the right of everything that it waits for, and deleted tasks are left out", () => {
  const { tasks, lines } = layOutTasks([task(1), task(2, [1]), task(3, [1, 2]), task(4, [9]), task(9, [], "deleted")]);
  const x = (id: number) => tasks.find((each) => each.task.id === id)?.x ?? Number.NaN;
  expect([x(2) > x(1), x(3) > x(2), x(4)]).toEqual([true, true, 0]);
  expect(lines.map(({ id }) => id)).toEqual(["1 2", "1 3", "2 3"]);
});

test("a loop of dependencies in a damaged list ends", () => {
  expect(layOutTasks([task(1, [2]), task(2, [1])]).tasks).toHaveLength(2);
});
