import { constants } from "node:os";
import { expect, test } from "vitest";
import { createConversation, createRecorder } from "../../src/agent/index.ts";
import { createIdFactory } from "../../src/platform/index.ts";
import { type AgentId, type SessionId, type StoredEvent, TroupeError } from "../../src/protocol/index.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { harness, step } from "../support/agent/agent-harness.ts";

const storageFailure = (cause: object) =>
  new TroupeError("storage", "cannot write", { cause: Object.assign(new Error("no space left"), cause) });

const diskFull = () => storageFailure({ code: "ENOSPC" });

/** Node has no name for an exceeded quota, only this number. */
const noQuota = () => storageFailure({ code: "UNKNOWN", errno: -constants.errno.EDQUOT });

test.each([
  ["the disk is full", diskFull],
  ["the quota is used up", noQuota],
])("while %s the agent waits with a notice, then continues without loss or duplicates", async (_, failure) => {
  let full = 0;
  const { run, names, events, model } = harness({
    script: { version: 1, steps: [step("", ["Echo", "a"]), { text: "ok" }] },
    sink: (sink) => ({
      ...sink,
      record(event: StoredEvent) {
        if (event.type === "tool.settled" && full++ < 3) return Promise.reject(failure());
        return sink.record(event);
      },
    }),
  });
  await run("go");
  expect(full).toBe(4);
  expect(
    events()
      .filter((event) => event.type === "turn.waiting")
      .map((event) => event.reason)[0],
  ).toContain("the disk is full");
  expect(names().filter((name) => name === "tool.settled")).toHaveLength(1);
  model.assertAllUsed();
});

test("any other storage failure stops the agent with the cause, and waiting callers receive it", async () => {
  const { say, agent } = harness({
    script: { version: 1, steps: [{ text: "ok" }] },
    sink: (sink) => ({
      ...sink,
      record: (event) =>
        event.type === "turn.started"
          ? Promise.reject(new TroupeError("storage", "disk on fire", { cause: { code: "EIO" } }))
          : sink.record(event),
    }),
  });
  await say("go");
  await expect(agent.settled()).rejects.toThrow("disk on fire");
});

test("events are published in stored order, even when a run and a prompt coincide", async () => {
  const { run, agent, envelopes } = harness({ script: { version: 1, rules: [{ answer: { text: "ok" } }] } });
  const more = Array.from({ length: 20 }, (_, n) => agent.admit("user", [{ type: "text", text: String(n) }]));
  await run("go");
  await Promise.all(more);
  agent.wake();
  await agent.settled();
  const stored = envelopes.filter(({ event }) => event.type !== "text.delta").map(({ seq }) => seq);
  expect(stored).toEqual(stored.map((_, index) => index + 1));
});

test("after the agent has left, an event waits two seconds of its clock for disk space", async () => {
  const clock = createVirtualClock();
  const recorder = createRecorder({
    session: "ses_00000000" as SessionId,
    agent: "agt_00000000" as AgentId,
    sink: { record: () => Promise.reject(diskFull()), holds: async () => false, sync: async () => undefined },
    conversation: createConversation(),
    emit: () => undefined,
    clock,
    createId: createIdFactory(clock),
    seq: 0,
  });
  const idle: StoredEvent = { type: "agent.idle", reason: "completed" };
  const stored = Promise.allSettled([recorder.record(idle), recorder.record(idle)]);
  await clock.run(clock.sleep(60_500));
  recorder.leave();
  expect(await clock.run(stored)).toMatchObject({ value: [{ status: "rejected" }, { status: "rejected" }] });
  expect(clock.monotonic()).toBe(62_500);
});
