import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentId, Envelope, Event } from "../../../src/protocol/index.ts";
import {
  type CostSeries,
  emptyCostSeries,
  isLive,
  joinCostSeries,
  maxBuckets,
  maxSeries,
  reduceCostSeries,
  valuesOf,
} from "../../../src/view/index.ts";
import { deepFreeze } from "../../support/view/deep-freeze.ts";
import { anyEvents, enclose, helper, lead, opened, usage } from "../../support/view/sample-envelopes.ts";

const cost = (costUsd: number, more: { model?: string; purpose?: "answer" | "lost" } = {}): Event => ({
  type: "cost.recorded",
  purpose: "answer",
  model: "a/b",
  usage,
  costUsd,
  ...more,
});
const fold = (envelopes: readonly Envelope[]): CostSeries => envelopes.reduce(reduceCostSeries, emptyCostSeries);
const sorted = ({ buckets }: CostSeries) => [...valuesOf(buckets)].sort((a, b) => a.number - b.number);
const cells = (series: CostSeries) => sorted(series).flatMap((bucket) => [...bucket.cells.values()]);
const total = (all: Iterable<{ costUsd: number }>) => [...all].reduce((sum, { costUsd }) => sum + costUsd, 0);

describe("cost series", () => {
  const log = enclose([
    { ...opened(), maxBudgetUsd: 5 } as Event,
    cost(1),
    [helper, cost(2, { model: "c/d" })],
    cost(4, { purpose: "lost" }),
    cost(8, { model: "c/d" }),
  ]);

  test("has totals and a history by agent and model", () => {
    const series = fold(log);
    expect([...valuesOf(series.sums)]).toMatchObject([
      { agent: lead, model: "a/b", costUsd: 5, requests: 1, lostAttempts: 1, lostUsd: 4 },
      { agent: helper, model: "c/d", costUsd: 2, requests: 1, lostAttempts: 0 },
      { agent: lead, model: "c/d", costUsd: 8, requests: 1 },
    ]);
    const first = Date.UTC(2026, 0, 1) / 1000;
    expect(series.width).toBe(1000);
    expect(sorted(series).map((bucket) => [bucket.number - first, total(bucket.cells.values())])).toEqual([
      [1, 1],
      [2, 2],
      [3, 4],
      [4, 8],
    ]);
    expect(series.budgetUsd).toBe(5);
  });

  test("is the same for one session or two", () => {
    const of = (agent: AgentId) => fold(log.filter((envelope) => envelope.agent === agent));
    const whole = fold(log);
    const joint = joinCostSeries([of(lead), of(helper)]);
    expect(joint).toMatchObject({ budgetUsd: 5, width: whole.width });
    expect(sorted(joint)).toEqual(sorted(whole));
    expect(total(valuesOf(joint.sums))).toBe(15);
  });

  test("may lose its budget when the session is resumed", () => {
    expect(fold(enclose([{ ...opened(), maxBudgetUsd: 5 } as Event, opened(true)])).budgetUsd).toBeUndefined();
  });
});

test("over a long time the buckets grow wider and stay few; nothing is lost", () => {
  const log = enclose(Array.from({ length: 5000 }, () => cost(1)));
  const series = fold(log);
  expect(series.buckets.values.length).toBeLessThanOrEqual(maxBuckets);
  expect(series.width).toBe(32_000);
  expect(total(cells(series))).toBe(5000);
  expect(sorted(joinCostSeries([fold(log.slice(2000)), fold(log.slice(0, 2000))]))).toEqual(sorted(series));
});

test("with very many agents the later ones share a series; each total is still known", () => {
  const ids = [...Array(3 * maxSeries).keys()].map((n) => `agt_${String(n).padStart(8, "0")}` as AgentId);
  const series = fold(enclose(ids.map((id) => [id, cost(1)] as const)));
  expect(new Set(cells(series).map(({ agent }) => agent)).size).toBe(maxSeries + 1);
  expect(series.sums.index.size).toBe(ids.length);
  expect(total(cells(series))).toBe(ids.length);
});

const anyLog = anyEvents.map((events) => deepFreeze(enclose(events)));

test("any log folds, also in halves, live or replayed, without changing its input", () => {
  fc.assert(
    fc.property(anyLog, fc.nat(), (log, cut) => {
      const at = log.length === 0 ? 0 : cut % log.length;
      const half = deepFreeze(log.slice(0, at).reduce(reduceCostSeries, deepFreeze(emptyCostSeries)));
      const whole = fold(log);
      expect(log.slice(at).reduce(reduceCostSeries, half)).toEqual(whole);
      expect(fold(log.filter(({ event }) => !isLive(event)))).toEqual(whole);
      for (const envelope of log) expect(reduceCostSeries(whole, envelope)).toBe(whole);
    }),
  );
});
