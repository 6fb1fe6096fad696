import { readFile } from "node:fs/promises";
import { setImmediate as nextRound } from "node:timers/promises";
import { expect, test } from "vitest";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

test("time jumps from sleeper to sleeper, in order of time and then of the calls", async () => {
  const clock = createVirtualClock({ start: 0 });
  const woken: string[] = [];
  const sleeper = async (name: string, ...naps: number[]) => {
    for (const nap of naps) {
      await clock.sleep(nap);
      woken.push(`${name}@${clock.now()}`);
    }
  };
  const all = Promise.all([sleeper("a", 3_600_000), sleeper("b", 10, 10, 0), sleeper("c", 20), sleeper("d", 10, 10)]);
  expect(await clock.run(all)).toMatchObject({ outcome: "done" });
  expect(woken).toEqual(["b@10", "d@10", "c@20", "b@20", "d@20", "b@20", "a@3600000"]);
  expect(clock.sleeping).toBe(0);
});

test("a sleeper wakes only when everything else has run, also rounds of the event loop and files", async () => {
  const clock = createVirtualClock();
  const done: string[] = [];
  const busy = async () => {
    await clock.sleep(1);
    for (let round = 0; round < 20; round++) await nextRound();
    await readFile(import.meta.filename);
    for (let tick = 0; tick < 100; tick++) await Promise.resolve();
    done.push("busy");
  };
  const idle = async () => {
    await clock.sleep(2);
    done.push("idle");
  };
  await clock.run(Promise.all([busy(), idle()]));
  expect(done).toEqual(["busy", "idle"]);
});

test("an abort ends a sleep at once", async () => {
  const clock = createVirtualClock({ start: 0 });
  const abort = new AbortController();
  const asleep = clock.sleep(1_000, abort.signal);
  const later = clock.sleep(5).then(() => abort.abort(new Error("enough")));
  await expect(clock.run(asleep)).rejects.toThrow("enough");
  await later;
  expect([clock.now(), clock.sleeping]).toEqual([5, 0]);
  await expect(clock.sleep(1, abort.signal)).rejects.toThrow("enough");
});

test("work that cannot end is stalled; work beyond its time is late", async () => {
  const clock = createVirtualClock();
  expect(await clock.run(new Promise(() => undefined))).toEqual({ outcome: "stalled" });
  const polls = (async () => {
    for (;;) await clock.sleep(100);
  })();
  expect(await clock.run(polls, { withinMs: 10_000 })).toEqual({ outcome: "late" });
  expect(clock.monotonic()).toBe(10_000);
});

test("the time of day can jump; durations stay", async () => {
  const clock = createVirtualClock({ start: 0 });
  const asleep = clock.sleep(100);
  clock.shiftTimeOfDay(-5_000);
  await clock.run(asleep);
  expect([clock.now(), clock.monotonic()]).toEqual([-4_900, 100]);
});
