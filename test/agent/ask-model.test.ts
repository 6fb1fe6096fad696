import { expect, test } from "vitest";
import { askModel } from "../../src/agent/ask-model.ts";
import { createLedger } from "../../src/agent/index.ts";
import type { ModelClient, ModelEvent, StoredEvent, Usage } from "../../src/protocol/index.ts";

const usage = (outputTokens: number): Usage => ({
  inputTokens: 0,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

/** A model that plays these event streams one after another. A token costs a cent. */
function asking(streams: readonly (readonly ModelEvent[])[], maxBudgetUsd: number) {
  const ledger = createLedger({ maxBudgetUsd });
  const abort = new AbortController();
  const said: string[] = [];
  const paid: number[] = [];
  let asked = 0;
  const waiters: (() => void)[] = [];
  const client: ModelClient = {
    ref: "a/b",
    contextWindow: 1_000,
    maxOutputTokens: 50,
    async *stream() {
      yield* streams[asked++] ?? [];
    },
  };
  const ask = () =>
    askModel({
      client,
      ledger,
      signal: abort.signal,
      costOf: (_ref, { inputTokens, outputTokens, cacheWriteTokens }) =>
        (inputTokens + outputTokens + cacheWriteTokens) / 100,
      maxPromptTokens: 0,
      request: {
        system: [],
        tools: [],
        messages: [],
        maxOutputTokens: 50,
        caller: { agentPath: "lead", agentType: "lead", turn: 1, purpose: "answer" },
      },
      recorder: {
        record: async (event: StoredEvent) => void (event.type === "cost.recorded" && paid.push(event.costUsd)),
        leave: () => undefined,
        live: (event) => {
          said.push(event.type);
          if (event.type === "turn.waiting") for (const wake of waiters.splice(0)) wake();
        },
      },
    });
  const waits = () => new Promise<void>((resolve) => waiters.push(resolve));
  return { ledger, ask, said, paid, waits, asked: () => asked, abort };
}

const failure = { kind: "cut", message: "the stream broke off" } as const;
const lost = (tokens: number): ModelEvent => ({
  type: "retrying",
  attempt: 2,
  delayMs: 1,
  failure,
  usage: usage(tokens),
});
const finished = (tokens: number): ModelEvent => ({
  type: "finished",
  answer: { parts: [], stopReason: "end_turn", usage: usage(tokens) },
});

test("lost attempt is charged at once, and the next one starts while the budget allows it", async () => {
  const { ask, ledger, paid, asked } = asking([[lost(20), finished(30)]], 5);
  expect(await ask()).toMatchObject({ type: "answered" });
  expect(paid).toEqual([0.2, 0.3]);
  expect(ledger.spent).toEqual({ usd: 0.5, tokens: 50 });
  expect(asked()).toBe(1);
});

test("request over the free budget starts again once other requests have settled", async () => {
  const { ask, ledger, said, waits, asked } = asking([[lost(50), finished(50)], [finished(30)]], 1);
  const other = await ledger.hold({ usd: 0.4, tokens: 0 });
  const waiting = waits();
  const result = ask();
  await waiting;
  expect(asked()).toBe(1);
  other?.settle({ usd: 0.1, tokens: 0 });
  expect(await result).toMatchObject({ type: "answered" });
  expect(said).toEqual(["turn.retried", "turn.waiting"]);
  expect(ledger.spent.usd).toBeCloseTo(0.9);
});

test("no answer when lost attempts have used up the budget", async () => {
  const { ask, ledger, asked } = asking([[lost(50), finished(50)]], 0.5);
  expect(await ask()).toEqual({ type: "no_budget" });
  expect(asked()).toBe(1);
  expect(ledger.usedUp()).toBeDefined();
});

test("abort before the request gives no answer and costs nothing", async () => {
  const { ask, ledger, asked, abort } = asking([[finished(50)]], 1);
  abort.abort();
  expect(await ask()).toMatchObject({ type: "failed", failure: { kind: "aborted" } });
  expect([asked(), ledger.spent.usd]).toEqual([0, 0]);
});
