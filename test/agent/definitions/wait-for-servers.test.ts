import { expect, test } from "vitest";
import { waitForServers } from "../../../src/agent/definitions/index.ts";
import { createTestClock } from "../../../src/testing.ts";

type State = "connecting" | "connected" | "reconnecting" | "failed" | "closed";

/** Servers whose state is a function of the time, on a clock that never really waits. */
function wait(required: readonly string[], stateAt: (ms: number) => Record<string, State>) {
  const clock = createTestClock({ start: 0, auto: true });
  const states = () => new Map(Object.entries(stateAt(clock.now())));
  return { clock, result: waitForServers(required, { states }, { clock }) };
}

test("no wait when nothing is required or all servers are connected", async () => {
  const none = wait([], () => ({}));
  expect(await none.result).toEqual({ ok: true });
  const all = wait(["a", "b"], () => ({ a: "connected", b: "connected", c: "failed" }));
  expect(await all.result).toEqual({ ok: true });
  expect([...none.clock.slept, ...all.clock.slept]).toEqual([]);
});

test("polls twice a second", async () => {
  const { clock, result } = wait(["a"], (ms) => ({ a: ms < 1400 ? "connecting" : "connected" }));
  expect(await result).toEqual({ ok: true });
  expect(clock.slept).toEqual([500, 500, 500]);
});

test("names only the missing servers after 30 s", async () => {
  const { clock, result } = wait(["a", "b", "c"], () => ({ a: "connected", b: "connecting", c: "reconnecting" }));
  expect(await result).toEqual({
    ok: false,
    message:
      "This agent needs MCP servers that are not connected: b (still connecting after 30 s), c (still reconnecting after 30 s). Do the task another way, or tell the user which server is missing.",
  });
  expect(clock.now()).toBe(30_000);
});

test.each(["failed", "closed"] as const)("a server that is %s ends the wait", async (state) => {
  const { clock, result } = wait(["a", "b"], (ms) => ({ a: "connecting", b: ms < 1000 ? "connecting" : state }));
  expect(await result).toMatchObject({ ok: false, message: expect.stringContaining(`b (${state})`) as string });
  expect(clock.now()).toBe(1000);
});

test("a server that is not configured fails without a wait", async () => {
  const { clock, result } = wait(["databse"], () => ({ database: "connected" }));
  expect(await result).toMatchObject({
    ok: false,
    message: expect.stringContaining("databse (not configured; did you mean database?)") as string,
  });
  expect(clock.slept).toEqual([]);
});

test("an abort ends the wait", async () => {
  const clock = createTestClock({ start: 0 });
  const abort = new AbortController();
  const states = () => new Map([["a", "connecting" as const]]);
  const result = waitForServers(["a"], { states }, { clock, signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(result).rejects.toThrow("enough");
});
