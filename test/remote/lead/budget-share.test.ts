import { expect, test } from "vitest";
import { type Amount, createLedger, type Ledger } from "../../../src/agent/index.ts";
import type { SessionId } from "../../../src/protocol/index.ts";
import { createBudgetShare } from "../../../src/remote/lead/budget-share.ts";
import { createTeammateBudget } from "../../../src/remote/lead/teammate-budget.ts";
import { createJobLedger } from "../../../src/remote/worker/job-ledger.ts";
import type { JobOrder } from "../../../src/remote/jobs/job.ts";
import { createTestClock } from "../../../src/testing.ts";

const tokens = (count: number) => ({ usd: 0, tokens: count });
const never = new AbortController().signal;

test("remote agents and the lead share one budget: spending exceeds it by at most one call", async () => {
  const budget = 10_000;
  const ledger = createLedger({ maxTokens: budget });
  let spent = 0;
  let stopped = 0;
  const most = 300;
  const work = async (spendsFrom: Pick<typeof ledger, "hold">, tell: (count: number) => void) => {
    for (let call = 0; ; call++) {
      const hold = await spendsFrom.hold(tokens(most));
      if (!hold) return void (stopped += 1);
      await new Promise((resolve) => setImmediate(resolve));
      const used = (call * 97) % most;
      spent += used;
      hold.settle(tokens(used));
      tell(used);
    }
  };
  const elsewhere = async () => {
    const share = createBudgetShare(ledger);
    await work(
      createJobLedger((wanted) => share.grant(wanted, never)),
      (used) => share.spend(tokens(used)),
    );
    share.close();
  };
  await Promise.all([...Array.from({ length: 8 }, elsewhere), work(ledger, () => undefined)]);
  expect(stopped).toBe(9);
  expect(ledger.spent.tokens).toBe(spent);
  expect(spent).toBeGreaterThanOrEqual(budget - most);
  expect(spent).toBeLessThanOrEqual(budget + most);
});

test("unused budget is released when the job ends", async () => {
  const ledger = createLedger({ maxTokens: 8000 });
  const share = createBudgetShare(ledger);
  const job = createJobLedger((wanted) => share.grant(wanted, never));
  const hold = await job.hold(tokens(100));
  expect(ledger.free()).toEqual({ usd: Infinity, tokens: 7000 });
  hold?.settle(tokens(60));
  share.spend(tokens(60));
  expect([ledger.spent.tokens, ledger.free().tokens]).toEqual([60, 7000]);
  share.close();
  expect(ledger.free().tokens).toBe(7940);
});

test("the budget held before a resume is held again", async () => {
  const ledger = createLedger({ maxBudgetUsd: 2 });
  const share = createBudgetShare(ledger);
  share.restoreGrant({ usd: 0.5, tokens: 1e12 });
  await Promise.resolve();
  expect(ledger.free().usd).toBe(1.5);
  share.spend({ usd: 0.2, tokens: 10 });
  expect([ledger.spent.usd, ledger.free().usd]).toEqual([0.2, 1.5]);
  share.close();
  expect(ledger.free().usd).toBe(1.8);
});

test("an agent without requests for some time releases its budget and asks again", async () => {
  const ledger = createLedger({ maxTokens: 8000 });
  const share = createBudgetShare(ledger);
  const clock = createTestClock();
  const job = createJobLedger((wanted) => share.grant(wanted, never), {
    clock,
    afterMs: 1000,
    release: (keeps) => share.restoreGrant(keeps),
  });
  const hold = await job.hold(tokens(100));
  expect(clock.sleeping).toBe(0);
  hold?.settle(tokens(60));
  share.spend(tokens(60));
  await clock.advance(999);
  expect(ledger.free().tokens).toBe(7000);
  await clock.advance(1);
  expect(ledger.free().tokens).toBe(7940);
  expect(await job.hold(tokens(100))).toBeDefined();
  expect(ledger.free().tokens).toBe(7940 - Math.floor(7940 / 8));
  await clock.advance(10_000);
  expect(clock.sleeping).toBe(0);
});

test("remote teammate: spending is deducted from its grant, in whichever order both arrive", async () => {
  const ledger = createLedger({ maxTokens: 8000 });
  const { budget, hear, orders } = member(ledger);
  hear.holds(1);
  hear.asks({ session: one, number: 1, keeps: 0, needs: 100 });
  await expect.poll(() => orders).toMatchObject([{ number: 1, most: { tokens: 1000 } }]);
  // It becomes idle, and its spending arrives later.
  hear.gives({ session: one, number: 2, keeps: 60 });
  expect([ledger.spent.tokens, ledger.free().tokens]).toEqual([0, 7940]);
  budget.spent({ session: one, amount: tokens(60), isNew: true });
  expect([ledger.spent.tokens, ledger.free().tokens]).toEqual([60, 7940]);
});

test("a remote teammate adopted by another worker starts with no grant, and earlier spending stays", async () => {
  const ledger = createLedger({ maxTokens: 8000 });
  const { budget, hear, orders } = member(ledger);
  hear.holds(1);
  hear.asks({ session: one, number: 1, keeps: 0, needs: 100 });
  await expect.poll(() => orders).toHaveLength(1);
  budget.spent({ session: one, amount: tokens(50), isNew: true });
  hear.holds(2);
  expect(ledger.free().tokens).toBe(7950);
  hear.asks({ session: two, number: 1, keeps: 0, needs: 100 });
  await expect.poll(() => orders).toHaveLength(2);
  // The first amount arrived late.
  budget.spent({ session: one, amount: tokens(10), isNew: true });
  budget.spent({ session: two, amount: tokens(30), isNew: true });
  budget.end();
  expect([ledger.spent.tokens, ledger.free().tokens]).toEqual([90, 7910]);
});

test("a resumed lead answers a remote teammate once and holds its grant again", async () => {
  const ledger = createLedger({ maxTokens: 8000 });
  const { budget, hear, orders } = member(ledger);
  const wanted = { session: one, number: 1, keeps: 0, needs: 100 };
  hear.before(wanted, tokens(1000));
  budget.spent({ session: one, amount: tokens(50), isNew: false });
  // The logs of the session or the file of its team say so.
  ledger.add(tokens(50));
  await expect.poll(() => ledger.free().tokens).toBe(7000);
  expect(orders).toEqual([]);
  budget.end();
  expect(ledger.free().tokens).toBe(7950);
});

const one = "ses_1" as SessionId;
const two = "ses_2" as SessionId;

interface Wanted {
  readonly session: SessionId;
  readonly number: number;
  readonly keeps: number;
  readonly needs: number;
}

/** A teammate's budget, with its job's messages. */
function member(ledger: Ledger) {
  const orders: JobOrder[] = [];
  const budget = createTeammateBudget(ledger, {
    closed: never,
    abort(error) {
      throw error;
    },
  });
  const job = { order: async (order: JobOrder) => void orders.push(order) };
  let generation = 1;
  const report = ({ keeps, needs, ...more }: Wanted) =>
    budget.hear(
      {
        kind: "report",
        report: { kind: "budget", generation, keeps: tokens(keeps), needs: tokens(needs), ...more },
      },
      job,
    );
  const asks = (wanted: Wanted) => {
    report(wanted);
    budget.hear({ kind: "caught up" }, job);
  };
  const holds = (next: number) => {
    generation = next;
    budget.hear({ kind: "state", state: { status: "held", generation } }, job);
  };
  const hear = {
    holds,
    asks,
    gives: (given: Omit<Wanted, "needs">) => asks({ ...given, needs: 0 }),
    /** Adds an answer of a previous run of the lead. */
    before(wanted: Wanted, most: Amount) {
      holds(1);
      report(wanted);
      budget.hear({ kind: "order", order: { kind: "budget", generation, number: wanted.number, most } }, job);
      budget.hear({ kind: "caught up" }, job);
    },
  };
  return { budget, hear, orders };
}
