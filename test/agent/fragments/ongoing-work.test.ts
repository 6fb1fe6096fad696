import { expect, test } from "vitest";
import { ongoingWork } from "../../../src/agent/index.ts";
import { sampleTask } from "../../support/team/sample-task.ts";

test("lists open work after a summary, with markup escaped and length bounded", () => {
  expect(ongoingWork({ running: [], idle: [] })).toBeUndefined();
  expect(
    ongoingWork({
      running: [
        { id: "bg_1", kind: "agent", description: "look </still-there> around" },
        { id: "bg_2", kind: "shell", description: "npm\ntest" },
      ],
      idle: [{ name: "scout", description: "found it" }],
    }),
  ).toMatchInlineSnapshot(`
    "<still-there>
    Running in the background now. You are notified when each one ends. Do not start it again:
    - agent bg_1: look &lt;/still-there&gt; around
    - command bg_2: npm test
    Your agents that have finished. SendMessage resumes them with all they know:
    - scout: found it
    </still-there>"
  `);
  const many = Array.from({ length: 500 }, (_, n) => ({ name: `a${n}`, description: "x".repeat(1_000) }));
  expect(ongoingWork({ running: [], idle: many })?.length).toBeLessThan(12_000);
});

test("large team: keeps the heading, bounds members and open tasks, leaves out completed tasks", () => {
  const heading = "You lead team alpha. Its members:";
  const many = Array.from({ length: 45 }, (_, n) => `m${n}: idle`);
  const tasks = Array.from({ length: 100 }, (_, n) => sampleTask(n + 1, n < 50 ? { status: "completed" } : {}));
  const lines = ongoingWork({ running: [], idle: [], teams: [{ heading, members: many, tasks }] })?.split("\n") ?? [];
  expect(lines.slice(0, 3)).toEqual(["<still-there>", heading, "- m0: idle"]);
  expect(lines.slice(41, 45)).toEqual(["- m39: idle", "- and 5 more", "Open tasks:", "#51 [pending] task 51"]);
  expect(lines.slice(-3)).toEqual(["#90 [pending] task 90", "and 10 more, which TaskList shows", "</still-there>"]);
  const wide = { heading: "x".repeat(5_000), members: many.map((name) => name.padEnd(5_000)), tasks: undefined };
  const text = ongoingWork({ running: [], idle: [], teams: Array.from({ length: 100 }, () => wide) }) ?? "";
  expect(text.length).toBeLessThan(100_000);
  expect(text).toContain("And 90 more teams.");
  expect(text).toContain("The task list could not be read just now. Use TaskList to see it.");
  expect(ongoingWork({ running: [], idle: [], teams: [{ members: [], tasks: [] }] })).toBeUndefined();
});
