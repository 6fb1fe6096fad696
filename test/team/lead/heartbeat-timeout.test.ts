import { expect, test } from "vitest";
import type { MemberStatus } from "../../../src/protocol/index.ts";
import { createHeartbeatTimeout } from "../../../src/team/lead/heartbeat-timeout.ts";
import { createTestClock } from "../../../src/testing.ts";

test("a member that never starts or goes silent is abandoned once after its time; others are not", async () => {
  const clock = createTestClock();
  const status = (name: string, state: MemberStatus["state"], alive: MemberStatus["alive"]): MemberStatus => ({
    name,
    state,
    alive,
    since: "2026-01-01T00:00:00.000Z",
  });
  let statuses = [
    status("team-lead", "idle", "unknown"),
    status("new", "starting", "unknown"),
    status("frozen", "working", "unknown"),
    status("busy", "working", "alive"),
    // It has started, and was not checked since.
    status("seen late", "starting", "alive"),
    status("remote", "working", "unknown"),
    status("over", "ended", "dead"),
  ];
  const givenUp: string[] = [];
  const silent: string[] = [];
  const watch = createHeartbeatTimeout({
    statuses: () => statuses,
    refresh: async () => {
      statuses = statuses.map((each) => (each.name === "seen late" ? { ...each, state: "idle" } : each));
    },
    isRunHere: (name) => name !== "remote",
    clock,
    startMs: 10_000,
    silentMs: 4_000,
    onSilent: async (name) => void silent.push(name),
    abort: async (name, why) => {
      givenUp.push(`${name}: ${why}`);
      statuses = statuses.map((each) => (each.name === name ? { ...each, state: "ended", alive: "dead" } : each));
    },
    onFailure: (error) => {
      throw error;
    },
  });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1_000);
      watch.check();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  watch.check();
  await pass(1);
  expect(silent).toEqual([]);
  await pass(2);
  expect(silent).toEqual(["frozen"]);
  // A member that recovers starts over.
  statuses = statuses.map((each) => (each.name === "frozen" ? { ...each, alive: "alive" } : each));
  await pass(1);
  statuses = statuses.map((each) => (each.name === "frozen" ? { ...each, alive: "unknown" } : each));
  await pass(3);
  expect(givenUp).toEqual([]);
  await pass(2);
  const frozen = "frozen: its process runs but sent no heartbeat for 4 s after its lease ended";
  expect(givenUp).toEqual([frozen]);
  await pass(20);
  expect(silent).toEqual(["frozen", "frozen"]);
  expect(givenUp).toEqual([frozen, "new: it was started but did not begin within 10 s"]);
  await watch.close();
});
