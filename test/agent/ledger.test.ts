import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Amount, type Budget, createLedger, type Hold } from "../../src/agent/index.ts";
import { harness, step } from "../support/agent/agent-harness.ts";

const usd = (amount: number): Amount => ({ usd: amount, tokens: 0 });

/** Tells whether the promise is still pending after all other pending work has run. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  const later = Symbol("later");
  const pause = new Promise((resolve) => setImmediate(resolve, later));
  return (await Promise.race([promise, pause])) === later;
}

describe("holds", () => {
  test("without a budget no request waits", async () => {
    const ledger = createLedger();
    const holds = await Promise.all([ledger.hold(usd(1e9)), ledger.hold(usd(1e9))]);
    for (const hold of holds) hold?.settle(usd(1));
    expect(ledger.spent).toEqual({ usd: 2, tokens: 0 });
    expect(ledger.usedUp()).toBeUndefined();
  });

  test("a request that might not fit waits for the others and gets the rest", async () => {
    const ledger = createLedger({ maxBudgetUsd: 1 });
    const first = await ledger.hold(usd(0.7));
    let told = 0;
    const second = ledger.hold(usd(0.7), { onWait: () => (told += 1) });
    expect(await isWaiting(second)).toBe(true);
    expect(told).toBe(1);
    first?.settle(usd(0.1));
    expect(await second).toBeDefined();
  });

  test("first come, first served: a small request does not overtake", async () => {
    const ledger = createLedger({ maxBudgetUsd: 1 });
    const first = await ledger.hold(usd(0.6));
    const large = ledger.hold(usd(0.6));
    const small = ledger.hold(usd(0.1));
    expect(await isWaiting(small)).toBe(true);
    first?.settle(usd(0.2));
    expect(await large).toBeDefined();
    expect(await small).toBeDefined();
  });

  test("when the budget is used up, waiting requests are refused", async () => {
    const ledger = createLedger({ maxBudgetUsd: 1 });
    const first = await ledger.hold(usd(1));
    const waiting = [ledger.hold(usd(0.1)), ledger.hold(usd(0.1))];
    first?.settle(usd(1));
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(ledger.usedUp()).toBe("the budget of $1 is used up ($1.0000 spent)");
  });

  test("an aborted request leaves the queue, and the others move up", async () => {
    const ledger = createLedger({ maxBudgetUsd: 1 });
    await ledger.hold(usd(0.5));
    const abort = new AbortController();
    const left = ledger.hold(usd(0.9), { signal: abort.signal });
    const behind = ledger.hold(usd(0.2));
    abort.abort(new Error("enough"));
    await expect(left).rejects.toThrow("enough");
    expect(await behind).toBeDefined();
  });

  test("tokens have a separate budget", async () => {
    const ledger = createLedger({ maxTokens: 100 });
    (await ledger.hold({ usd: 0, tokens: 60 }))?.settle({ usd: 0, tokens: 120 });
    expect(await ledger.hold({ usd: 0, tokens: 1 })).toBeUndefined();
    expect(ledger.usedUp()).toBe("the budget of 100 tokens is used up (120 used)");
  });

  test("spending from the logs counts", () => {
    const ledger = createLedger({ maxBudgetUsd: 1 });
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    ledger.recall({ type: "cost.recorded", purpose: "answer", model: "a/b", usage, costUsd: 0.4 });
    ledger.recall({ type: "cost.recorded", purpose: "lost", model: "a/b", usage, costUsd: 0.6 });
    ledger.recall({ type: "turn.started", turn: 1, model: "a/b" });
    expect(ledger.spent).toEqual({ usd: 1, tokens: 20 });
    expect(ledger.usedUp()).toBeDefined();
  });
});

/** One agent of the property below: its requests, each with its maximum cost, real cost and lost cost. */
const request = fc.record({
  most: fc.integer({ min: 1, max: 40 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  lost: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 }),
});

test("any number of concurrent agents exceed the budget by at most one call", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.array(request, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
      fc.record({ maxBudgetUsd: fc.integer({ min: 1, max: 150 }), maxTokens: fc.integer({ min: 1, max: 1500 }) }),
      async (scheduler, agents, budget) => {
        const ledger = createLedger(budget);
        let largest = 0;
        let refused = 0;
        const pay = (most: number, share: number): Amount => {
          largest = Math.max(largest, most * share);
          return { usd: most * share, tokens: Math.round(most * share * 10) };
        };
        const work = async (requests: (typeof agents)[number]) => {
          for (const { most, share, lost } of requests) {
            const attempts = [...lost];
            for (let done = false; !done; ) {
              const hold: Hold | undefined = await ledger.hold({ usd: most, tokens: most * 10 + 1 });
              if (!hold) return void (refused += 1);
              let stands = true;
              for (let next = attempts.shift(); next !== undefined && stands; next = attempts.shift()) {
                await scheduler.schedule(Promise.resolve());
                stands = hold.lose(pay(most, next));
              }
              if (stands) await scheduler.schedule(Promise.resolve());
              hold.settle(stands ? pay(most, share) : { usd: 0, tokens: 0 });
              done = stands;
            }
          }
        };
        await scheduler.waitFor(Promise.all(agents.map(work)));
        const over: Budget & Amount = { ...budget, ...ledger.spent };
        expect(over.usd).toBeLessThanOrEqual(budget.maxBudgetUsd + largest + 1e-6);
        expect(over.tokens).toBeLessThanOrEqual(budget.maxTokens + largest * 10 + 1);
        // No request is refused while some budget is left.
        if (refused > 0) expect(ledger.usedUp()).toBeDefined();
      },
    ),
    { numRuns: 300 },
  );
});

describe("agents with one ledger", () => {
  const costOf = (_ref: string, { outputTokens }: { outputTokens: number }) => (outputTokens > 0 ? 0.1 : 0);

  test("agents that never stop by themselves are all stopped, at most one call over budget", async () => {
    const ledger = createLedger({ maxBudgetUsd: 1.05 });
    const agents = Array.from({ length: 8 }, () =>
      harness({ ledger, costOf, script: { version: 1, rules: [{ answer: step("more", ["Echo", "a"]) }] } }),
    );
    await Promise.all(agents.map(({ run }) => run("go")));
    for (const { agent } of agents) {
      expect(await agent.settled()).toMatchObject({ reason: "limit", detail: expect.stringContaining("$1.05") });
    }
    expect(agents.flatMap(({ model }) => model.calls)).toHaveLength(11);
    expect(ledger.spent.usd).toBeCloseTo(1.1);
  });

  test("an agent that waits for the budget can be interrupted", async () => {
    const ledger = createLedger({ maxBudgetUsd: 1 });
    const hold = await ledger.hold(usd(1));
    const { say, agent, happened } = harness({ ledger, costOf, script: { version: 1, steps: [{ text: "hi" }] } });
    await say("go");
    await happened("turn.waiting");
    await agent.interrupt();
    expect(await agent.settled()).toMatchObject({ reason: "interrupted" });
    hold?.settle(usd(0));
  });
});
