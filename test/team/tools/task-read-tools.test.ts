import { expect, test } from "vitest";
import { gate } from "../../support/team/team-session.ts";
import { teamBench } from "../../support/tools/team-tool-bench.ts";

test("the list ends with the jobs that run in the background, which are not tasks", async () => {
  const it = await teamBench();
  const work = { kind: "shell", description: "Start the server" } as const;
  const over = gate();
  const run = () => over.opened.then(() => ({ status: "completed", exitCode: 0 }) as const);
  const job = await it.tools.context.background.start({ ...work, run });
  await it.call("alice", "TaskCreate", { subject: "first", description: "all about first" });
  expect((await it.call("alice", "TaskList")).text).toBe(
    `#1 [pending] first\nNot tasks, but your jobs in the background:\n${job.id} is running: Start the server`,
  );
  expect((await it.call("alice", "TaskGet", { taskId: job.id })).text).toContain(
    "is a background job, and not a task of the list. TaskList shows both",
  );
  over.open();
  await job.done;
  expect((await it.call("alice", "TaskList")).text).toBe("#1 [pending] first");
});
