import { expect, test } from "vitest";
import { createSilence } from "../../src/platform/index.ts";
import { createTestClock } from "../../src/testing.ts";

test("silence is the time since the last sign of life; time without a question counts as one step", async () => {
  const clock = createTestClock();
  const silence = createSilence(clock, 100);
  const after = async (ms: number) => {
    await clock.advance(ms);
    return silence.ms();
  };
  expect([await after(100), await after(60), await after(100)]).toEqual([100, 160, 260]);
  expect(await after(3_600_000)).toBe(360);
  silence.heard();
  expect([silence.ms(), await after(50)]).toEqual([0, 50]);
});
