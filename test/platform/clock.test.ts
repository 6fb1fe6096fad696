import { expect, test } from "vitest";
import { withTimeLimit } from "../../src/platform/index.ts";
import { createTestClock } from "../../src/testing.ts";

test("work within its time limit returns its value and leaves no timer", async () => {
  const clock = createTestClock();
  expect(await withTimeLimit(clock, 1_000, async (late) => late.aborted)).toBe(false);
  expect(clock.sleeping).toBe(0);
});

test("work beyond its time limit gets a signal, and its own error is the result", async () => {
  const clock = createTestClock();
  const work = withTimeLimit(
    clock,
    1_000,
    (late) => new Promise((_, reject) => late.addEventListener("abort", () => reject(late.reason as Error))),
  );
  await Promise.all([expect(work).rejects.toMatchObject({ name: "TimeoutError" }), clock.advance(1_000)]);
});
