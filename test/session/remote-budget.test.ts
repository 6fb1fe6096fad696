import { expect, test } from "vitest";
import { createLedger } from "../../src/agent/index.ts";
import { createBudgetShare } from "../../src/session/remote/budget-share.ts";
import { createJobLedger } from "../../src/session/worker/job-ledger.ts";

const tokens = (count: number) => ({ usd: 0, tokens: count });
const never = new AbortController().signal;

test("many elsewhere and the lead spend at once from one budget: never more than it and one call", async () => {
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
    share.end();
  };
  await Promise.all([...Array.from({ length: 8 }, elsewhere), work(ledger, () => undefined)]);
  expect(stopped).toBe(9);
  expect(ledger.spent.tokens).toBe(spent);
  expect(spent).toBeGreaterThanOrEqual(budget - most);
  expect(spent).toBeLessThanOrEqual(budget + most);
});

test("what is not used comes back; without a limit nobody waits", async () => {
  const ledger = createLedger({ maxTokens: 8000 });
  const share = createBudgetShare(ledger);
  const job = createJobLedger((wanted) => share.grant(wanted, never));
  const hold = await job.hold(tokens(100));
  expect(ledger.free()).toEqual({ usd: Infinity, tokens: 7000 });
  hold?.settle(tokens(60));
  share.spend(tokens(60));
  expect([ledger.spent.tokens, ledger.free().tokens]).toEqual([60, 7000]);
  share.end();
  expect(ledger.free().tokens).toBe(7940);
});

test("what it had before the session was resumed is held again", async () => {
  const ledger = createLedger({ maxBudgetUsd: 2 });
  const share = createBudgetShare(ledger);
  share.given({ usd: 0.5, tokens: 1e12 });
  await Promise.resolve();
  expect(ledger.free().usd).toBe(1.5);
  share.spend({ usd: 0.2, tokens: 10 });
  expect([ledger.spent.usd, ledger.free().usd]).toEqual([0.2, 1.5]);
  share.end();
  expect(ledger.free().usd).toBe(1.8);
});
