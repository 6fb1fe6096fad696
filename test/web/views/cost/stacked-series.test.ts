import { describe, expect, test } from "vitest";
import type { AgentId, Event } from "../../../../src/protocol/index.ts";
import { emptyCostSeries, reduceCostSeries } from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../../../web/src/state/roster.ts";
import { costGroups, totalOf } from "../../../../web/src/views/cost/cost-groups.ts";
import { roundUp, stackSeries, thinOut } from "../../../../web/src/views/cost/stacked-series.ts";
import { enclose, helper, lead, usage } from "../../../support/view/sample-envelopes.ts";

const cost = (costUsd: number, model = "a/b"): Event => ({
  type: "cost.recorded",
  purpose: "answer",
  model,
  usage,
  costUsd,
});
const seriesOf = (events: Parameters<typeof enclose>[0]) => enclose(events).reduce(reduceCostSeries, emptyCostSeries);
const known = (id: AgentId, name: string, color?: RosterEntry["color"]) =>
  ({ name, color, agent: { id } }) as RosterEntry;

const series = seriesOf([cost(1), [helper, cost(4, "c/d")], cost(2)]);
const roster = [known(lead, "lead"), known(helper, "ann\u202E", "blue")];

describe("groups", () => {
  test("are by agent or model, the most expensive first, with distinct colours and visible names", () => {
    const agents = costGroups(series, "agent", roster);
    expect(agents.map(({ costUsd, color, note }) => [costUsd, color, note])).toEqual([
      [4, "blue", "c/d"],
      [3, "orange", "a/b"],
    ]);
    expect(agents[0]?.name).not.toContain("\u202E");
    expect(costGroups(series, "model", roster).map(({ name, note }) => [name, note])).toEqual([
      ["c/d", "1 agent"],
      ["a/b", "1 agent"],
    ]);
    expect(totalOf(agents)).toMatchObject({ costUsd: 7, requests: 3 });
  });
});

describe("stack", () => {
  const groups = costGroups(series, "agent", roster);
  const [begin] = enclose([cost(1)]).map(({ at }) => Date.parse(at));

  test("adds up over time, and stays flat without new costs", () => {
    const until = (begin ?? 0) + 60_000;
    const stack = stackSeries(series, { groups, by: "agent", measure: "usd", until });
    expect(stack.totals).toEqual([0, 1, 5, 7, 7]);
    expect(stack.layers.map(({ sums }) => sums)).toEqual([
      [0, 0, 4, 4, 4],
      [0, 1, 1, 3, 3],
    ]);
    expect([stack.times[0], stack.times.at(-1)]).toEqual([begin, until]);
    expect(stackSeries(series, { groups, by: "agent", measure: "tokens", until: 0 }).totals).toEqual([
      0, 122, 244, 366,
    ]);
  });

  test("of very many has one layer for the rest; nothing is left out", () => {
    const ids = Array.from({ length: 90 }, (_, index) => `agt_${String(index).padStart(8, "0")}` as AgentId);
    const many = seriesOf(ids.map((id) => [id, cost(1)] as const));
    const stack = stackSeries(many, { groups: costGroups(many, "agent", []), by: "agent", measure: "usd", until: 0 });
    expect(stack.layers).toHaveLength(8);
    expect(stack.layers.at(-1)).toMatchObject({ name: "others", color: undefined });
    expect(stack.totals.at(-1)).toBe(90);
    expect(thinOut(stack, 20).length).toBeLessThanOrEqual(20);
    expect(thinOut(stack, 20).at(-1)).toBe(stack.times.length - 1);
  });

  test("of nothing is empty", () => {
    expect(stackSeries(emptyCostSeries, { groups: [], by: "agent", measure: "usd", until: 1 }).times).toEqual([]);
  });

  test.each([
    [0, 1],
    [0.0421, 0.06],
    [0.97, 1],
    [1, 1],
    [7.3, 8],
    [1234, 1600],
  ])("has a scale that ends at a round number above %d: %d", (value, top) => {
    expect(roundUp(value)).toBeCloseTo(top, 10);
  });
});
