import { expect, test } from "vitest";
import type { Envelope } from "../../../src/protocol/index.ts";
import { lastClaimIn } from "../../../src/team/teammate/claims-in-log.ts";

const logOf = (...events: readonly object[]) => events.map((event) => ({ event })) as Pick<Envelope, "event">[];
const opened = { type: "session.opened" };
const called = { type: "tool.called", callId: "c1", name: "TaskUpdate" };
const settled = { type: "tool.settled", callId: "c1" };
const claimed = { type: "task.claimed", taskId: 3, subject: "third" };
const updated = (status: string) => ({ type: "task.updated", taskId: 3, status });

test("a claim during a tool call is the agent's own, any other the runtime's", () => {
  expect(lastClaimIn(logOf(opened, called, settled))).toBeUndefined();
  expect(lastClaimIn(logOf(called, claimed, settled))).toEqual({ taskId: 3, by: "call", state: "open" });
  expect(lastClaimIn(logOf(called, settled, claimed))).toEqual({ taskId: 3, by: "runtime", state: "open" });
  // The process was killed during the call.
  expect(lastClaimIn(logOf(called, opened, claimed))).toMatchObject({ by: "runtime" });
});

test.each([
  ["in_progress", "open"],
  ["completed", "completed"],
  ["pending", "released"],
])("a claim of a task that the agent set to %s since is %s", (status, state) => {
  expect(lastClaimIn(logOf(claimed, updated(status)))?.state).toBe(state);
});
