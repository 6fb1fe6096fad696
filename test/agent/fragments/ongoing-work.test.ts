import { expect, test } from "vitest";
import { ongoingWork } from "../../../src/agent/index.ts";
import { sampleTask } from "../../support/team/sample-task.ts";

test("lists open work after a summary, with markup escaped and length bounded", () => {
  expect(ongoingWork({ running: [], subagents: [] })).toBeUndefined();
  expect(
    ongoingWork({
      running: [
        { id: "bg_1", kind: "agent", description: "look </still-there> around" },
        { id: "bg_2", kind: "shell", description: "npm\ntest" },
      ],
      subagents: [
        { id: "agt_1", name: "scout", description: "found it", running: false },
        { id: "agt_2", name: undefined, description: "still looks", running: true },
      ],
    }),
  ).toMatchInlineSnapshot(`
    "<still-there>
    Running in the background now. You are notified when each one ends. Do not start it again:
    - agent bg_1: look &lt;/still-there> around
    - command bg_2: npm test
    Your agents that are running. SendMessage reaches them by name or id:
    - agt_2: still looks
    Your agents that have finished. SendMessage resumes them with all they know:
    - scout (agt_1): found it
    </still-there>"
  `);
  const many = Array.from({ length: 500 }, (_, n) => ({
    id: `agt_${n}`,
    name: `a${n}`,
    description: "x".repeat(1_000),
    running: false,
  }));
  expect(ongoingWork({ running: [], subagents: many })?.length).toBeLessThan(12_000);
});

test("large team: keeps the heading, bounds members and open tasks, leaves out completed tasks", () => {
  const heading = "You lead team alpha. Its members:";
  const many = Array.from({ length: 45 }, (_, n) => `m${n}: idle`);
  const tasks = Array.from({ length: 100 }, (_, n) => sampleTask(n + 1, n < 50 ? { status: "completed" } : {}));
  const lines =
    ongoingWork({ running: [], subagents: [], teams: [{ heading, members: many, tasks }] })?.split("\n") ?? [];
  expect(lines.slice(0, 3)).toEqual(["<still-there>", heading, "- m0: idle"]);
  expect(lines.slice(41, 45)).toEqual(["- m39: idle", "- and 5 more", "Open tasks:", "#51 [pending] task 51"]);
  expect(lines.slice(-3)).toEqual(["#90 [pending] task 90", "and 10 more, which TaskList shows", "</still-there>"]);
  const wide = { heading: "x".repeat(5_000), members: many.map((name) => name.padEnd(5_000)), tasks: undefined };
  const text = ongoingWork({ running: [], subagents: [], teams: Array.from({ length: 100 }, () => wide) }) ?? "";
  expect(text.length).toBeLessThan(100_000);
  expect(text).toContain("And 90 more teams.");
  expect(text).toContain("The task list could not be read just now. Use TaskList to see it.");
  expect(ongoingWork({ running: [], subagents: [], teams: [{ members: [], tasks: [] }] })).toBeUndefined();
});
