import { expect, test } from "vitest";
import { systemClock } from "../../../src/platform/index.ts";
import { createMemoryWorld } from "../../../src/store/index.ts";
import { outdatedAssignment } from "../../../src/team/index.ts";
import { bodyMail } from "../../support/mail/sample-mail.ts";

const assignment = bodyMail({
  kind: "task_assignment",
  taskId: 1,
  subject: "dig",
  description: "Dig deep.",
  assignedBy: "team-lead",
});
test("a member that was away reads what became of the task", async () => {
  const { openTaskList } = createMemoryWorld({
    clock: systemClock,
    fillRandom: (bytes) => bytes.fill(7),
  }).startProcess();
  const tasks = openTaskList("alpha");
  const lead = { name: "team-lead" };
  const note = () => outdatedAssignment(assignment, { team: { tasks }, name: "bob" });
  await tasks.create({ subject: "dig", description: "Dig deep.", owner: "bob" }, lead);
  expect(await note()).toBeUndefined();
  await tasks.releaseGone(async ({ name }) => (name === "bob" ? "its program is gone" : undefined));
  expect(await note()).toContain("#1 was released after this message and has no owner now. Set it to in_progress");
  await tasks.update(1, { owner: "alice" }, lead);
  expect(await note()).toBe("#1 went to alice after this message: do not work on it.");
  await tasks.delete(1, lead);
  expect(await note()).toBe("#1 was deleted after this message: there is nothing to do for it.");
  const text = bodyMail({ kind: "text", text: "Task #1 is yours" });
  expect(await outdatedAssignment(text, { team: { tasks }, name: "bob" })).toBeUndefined();
});
