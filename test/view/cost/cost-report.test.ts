import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cachedShare, costByModel, costReport, costSums, costTable, totalCost } from "../../../src/view/index.ts";
import { anyEvents, enclose, helper, lead, opened, spawned, usage } from "../../support/view/sample-envelopes.ts";

const paid = (costUsd: number, more: { model?: string; purpose?: "answer" | "lost" } = {}) => ({
  type: "cost.recorded" as const,
  purpose: "answer" as const,
  model: "a/b",
  usage,
  costUsd,
  ...more,
});

test("rows are ordered, and an agent without a spawn event is shown by id", () => {
  const { rows } = costReport(
    enclose([
      [lead, opened()],
      [helper, paid(2)],
      [lead, spawned()],
      [lead, paid(1)],
      [lead, paid(1)],
    ]),
  );
  expect(rows).toMatchObject([
    { agent: helper, costUsd: 2 },
    { agent: "lead", requests: 2 },
  ]);
});

test("counts only costs after the given time", () => {
  const log = enclose([opened(), paid(1), paid(2), paid(4)]);
  expect(costReport(log, { since: Date.parse(log[2]?.at ?? "") }).total.costUsd).toBe(6);
});

test("rows, models and totals agree for any log", () => {
  fc.assert(
    fc.property(anyEvents, anyEvents, (one, two) => {
      const reports = [costReport(enclose(one)), costReport(enclose(two))];
      const events = [...one, ...two].filter(([, { type }]) => type === "cost.recorded");
      const total = totalCost(reports);
      expect(total.costUsd).toBeCloseTo(events.length * 0.25);
      expect(total.requests + total.lostAttempts).toBe(events.length);
      expect(costByModel(reports).reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(total.costUsd);
      if (events.length === 0) expect(cachedShare(total)).toBeUndefined();
      else expect(cachedShare(total)).toBeCloseTo(100 / 117);
    }),
    { numRuns: 100 },
  );
});

test("a table is aligned, and names cannot control the terminal", () => {
  const report = costReport(
    enclose([opened(), spawned(), paid(123.456), paid(0.1, { model: "evil/\u001b[2J", purpose: "lost" })]),
  );
  expect(costTable(report)).toMatchInlineSnapshot(`
    "agent  model      requests  input  output  cache read  cache write  cached         lost     USD
    lead   a/b               1     10       5         100            7    85 %            -  123.46
    lead   evil/␛[2J         0     10       5         100            7    85 %  1 ($0.1000)  0.1000
    total                    1     20      10         200           14    85 %  1 ($0.1000)  123.56
    "
  `);
  const usage = { inputTokens: 9_999, outputTokens: 10_000, cacheReadTokens: 999_499, cacheWriteTokens: 123_456_789 };
  expect(costSums("model", [["m", { ...report.total, usage }]])).toMatchInlineSnapshot(`
    "model  requests  input  output  cache read  cache write  cached         lost     USD
    m             1   9999   10.0k        999k         123M     1 %  1 ($0.1000)  123.56
    "
  `);
});
