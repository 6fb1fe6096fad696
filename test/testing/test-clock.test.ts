import { expect, test } from "vitest";
import { createTestClock } from "../../src/testing.ts";

test("sleepers wake in time order, also those that sleep again", async () => {
  const clock = createTestClock({ start: 0 });
  const woken: string[] = [];
  const sleeper = async (name: string, ...naps: number[]) => {
    for (const nap of naps) {
      await clock.sleep(nap);
      woken.push(`${name}@${clock.now()}`);
    }
  };
  const all = [sleeper("a", 30), sleeper("b", 10, 10), sleeper("c", 1000)];
  await clock.advance(100);
  expect(woken).toEqual(["b@10", "b@20", "a@30"]);
  expect([clock.now(), clock.monotonic(), clock.sleeping]).toEqual([100, 100, 1]);
  await clock.advance(1000);
  await Promise.all(all);
  expect(woken.at(-1)).toBe("c@1000");
});

test("an abort ends a sleep at once", async () => {
  const clock = createTestClock();
  const abort = new AbortController();
  const asleep = clock.sleep(1000, abort.signal);
  abort.abort(new Error("enough"));
  await expect(asleep).rejects.toThrow("enough");
  await expect(clock.sleep(1, abort.signal)).rejects.toThrow("enough");
  expect(clock.sleeping).toBe(0);
});

test("with auto it never waits", async () => {
  const clock = createTestClock({ start: 0, auto: true });
  await clock.sleep(60_000);
  expect([clock.now(), clock.slept]).toEqual([60_000, [60_000]]);
});
