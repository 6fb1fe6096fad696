import { expect, test } from "vitest";
import { type BusyMember, teamIdlePrompt, teamNewsPrompt } from "../../../../src/agent/index.ts";
import { sampleTask } from "../../../support/team/sample-task.ts";

test("idle team with a plan that waits for the lead", () => {
  const plans = [{ from: "planner", requestId: "ask_1" }];
  expect(teamIdlePrompt({ openTasks: [sampleTask(1)], hasNews: true, plans })).toMatchSnapshot();
});

test("idle team with a task that a member returned", () => {
  const past = [{ owner: "checker", until: "2026-11-16T08:00:00.000Z", returned: true as const }];
  expect(teamIdlePrompt({ openTasks: [sampleTask(1, { past }), sampleTask(2)], hasNews: true })).toMatchInlineSnapshot(`
    "<troupe-notice>
    No teammate is working now. What is new is above.
    These tasks are open:
    #1 [pending] task 1 [returned by checker]
    #2 [pending] task 2
    No member claims a returned task by itself: read why, then change it, give it out or do it.
    Finish them, give them out, set them to deleted, or repeat your answer with what is left: your next answer is what the user gets.
    </troupe-notice>"
  `);
});

test("news while others are busy, each with its reason", () => {
  const busy: readonly BusyMember[] = [
    { name: "ann", why: "works", taskId: 3, hasReported: true },
    { name: "bob", why: "asked_to_end", hasReported: true },
    { name: "cleo", why: "plan", hasReported: false },
    { name: "dan", why: "has_mail", hasReported: true },
    { name: "eve", why: "starts", hasReported: false },
    { name: "fay", why: "waits", hasReported: false },
    { name: "gus", why: "ends", hasReported: false },
    { name: "hal", why: "works", hasReported: false },
  ];
  expect(teamNewsPrompt(busy)).toMatchSnapshot();
});
