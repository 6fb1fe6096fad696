import { expect, test } from "vitest";
import type { SlotEntry } from "../../../src/team/limits/slot-entry.ts";
import { createSlotLedger } from "../../../src/team/limits/slot-ledger.ts";
import { createSlotTimer } from "../../../src/team/limits/slot-timer.ts";
import { createTestClock } from "../../../src/testing.ts";

test("a failed slot check is retried a second later, not at once", async () => {
  const clock = createTestClock();
  const book = createSlotLedger(() => undefined);
  const answers = new Map([["b", () => undefined]]);
  const looks: SlotEntry[] = [];
  let isFull = true;
  const put = (entry: SlotEntry) => {
    looks.push(entry);
    if (!isFull || looks.length > 9) book.apply(entry);
    tick.schedule();
  };
  const ask = async () => undefined;
  const log = { ledger: book, answers, ready: () => undefined, submit: put, ask, newId: () => "", now: clock.now };
  const tick = createSlotTimer(() => log, { clock });
  const to = { maxConcurrentAgents: 2, maxDepth: 1, maxAgents: 9, maxSpawnsPerMinute: 1 };
  book.apply({ do: "limit", to });
  for (const id of ["a", "b"]) book.apply({ do: "ask", id, who: "lead", at: clock.now() });
  tick.schedule();
  await clock.advance(60_000);
  expect(looks).toHaveLength(1);
  await clock.advance(3_000);
  expect(clock.slept).toEqual([60_000, 1_000, 1_000, 1_000, 1_000]);
  isFull = false;
  await clock.advance(1_000);
  expect([book.running, book.queued, clock.sleeping]).toEqual([2, 0, 0]);
});
