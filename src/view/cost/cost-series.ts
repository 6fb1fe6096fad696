import type { AgentId, Envelope } from "../../protocol/index.ts";
import { addCosts, type CostSum } from "./cost-report.ts";
import { emptyKeyed, type KeyedList, valueAt, valuesOf, withValue } from "../lists/keyed-list.ts";

/** Spending over time, by agent and model. Bounded: buckets become wider as time passes. */
export interface CostSeries {
  /** Milliseconds; a bucket starts at its number times this width. */
  readonly width: number;
  readonly buckets: KeyedList<number, CostBucket>;
  /** The numbers of the earliest and the latest bucket. */
  readonly first: number;
  readonly last: number;
  /** Exact sums by agent and model. */
  readonly sums: KeyedList<string, CostCell>;
  /** The budget, as last reported by the session. */
  readonly budgetUsd: number | undefined;
  /** The last event read from each log. */
  readonly seqs: KeyedList<AgentId, number>;
}

export interface CostBucket {
  readonly number: number;
  /** By agent and model. */
  readonly cells: ReadonlyMap<string, CostCell>;
}

/** The total of some requests of one agent to one model. Without an agent: of several agents that share a series. */
export interface CostCell extends CostSum {
  readonly agent: AgentId | undefined;
  readonly model: string;
}

export const maxBuckets = 240;
/** Maximum number of agent and model pairs with their own series. The others share one series for each model. */
export const maxSeries = 60;
const narrowest = 1000;

export const emptyCostSeries: CostSeries = {
  width: narrowest,
  buckets: emptyKeyed(),
  first: Infinity,
  last: -Infinity,
  sums: emptyKeyed(),
  budgetUsd: undefined,
  seqs: emptyKeyed(),
};

/** Pure. Returns the same object if nothing is new. Ignores duplicate stored envelopes. */
export function reduceCostSeries(series: CostSeries, { agent, seq, at, event }: Envelope): CostSeries {
  if (event.type !== "cost.recorded" && event.type !== "session.opened") return series;
  if (seq <= (valueAt(series.seqs, agent) ?? 0)) return series;
  const seqs = withValue(series.seqs, agent, seq);
  if (event.type === "session.opened") return { ...series, seqs, budgetUsd: event.maxBudgetUsd };
  const { model, purpose, usage, costUsd } = event;
  const lost = purpose === "lost" ? { requests: 0, lostAttempts: 1, lostUsd: costUsd } : noneLost;
  const cell: CostCell = { agent, model, ...lost, usage, costUsd };
  const key = costKey(cell);
  const sums = withValue(series.sums, key, added(valueAt(series.sums, key), cell));
  const isOwn = (sums.index.get(key) ?? 0) < maxSeries;
  const placed = put(series, Date.parse(at), isOwn ? cell : { ...cell, agent: undefined });
  return { ...series, ...placed, seqs, sums };
}

const noneLost = { requests: 1, lostAttempts: 0, lostUsd: 0 };

/** Merges the series of several sessions. */
export function joinCostSeries(all: readonly CostSeries[]): CostSeries {
  if (all.length <= 1) return all[0] ?? emptyCostSeries;
  let { sums }: CostSeries = emptyCostSeries;
  let placed: Placed = emptyCostSeries;
  for (const series of all) {
    for (const cell of valuesOf(series.sums)) {
      sums = withValue(sums, costKey(cell), added(valueAt(sums, costKey(cell)), cell));
    }
    for (const { number, cells } of valuesOf(series.buckets)) {
      for (const cell of cells.values()) placed = put(placed, number * series.width, cell);
    }
  }
  const budgetUsd = all.find((series) => series.budgetUsd !== undefined)?.budgetUsd;
  return { ...emptyCostSeries, ...placed, sums, budgetUsd };
}

const costKey = ({ agent, model }: CostCell): string => JSON.stringify([agent ?? "", model]);

const added = (known: CostCell | undefined, cell: CostCell): CostCell =>
  known ? { agent: cell.agent, model: cell.model, ...addCosts(known, cell) } : cell;

type Placed = Pick<CostSeries, "width" | "buckets" | "first" | "last">;

/**
 * Buckets start at multiples of their width, which doubles until all fit. So the result does not depend on the order of
 * input.
 */
function put({ width, buckets, first, last }: Placed, time: number, cell: CostCell): Placed {
  const number = Math.floor(time / width);
  const grown = {
    width,
    buckets: withCell(buckets, number, cell),
    first: Math.min(first, number),
    last: Math.max(last, number),
  };
  return wideEnough(grown);
}

function wideEnough(placed: Placed): Placed {
  if (placed.last - placed.first < maxBuckets) return placed;
  let buckets: CostSeries["buckets"] = emptyKeyed();
  for (const { number, cells } of valuesOf(placed.buckets)) {
    for (const cell of cells.values()) buckets = withCell(buckets, Math.floor(number / 2), cell);
  }
  const [first, last] = [Math.floor(placed.first / 2), Math.floor(placed.last / 2)];
  return wideEnough({ width: placed.width * 2, buckets, first, last });
}

function withCell(buckets: CostSeries["buckets"], number: number, cell: CostCell): CostSeries["buckets"] {
  const key = costKey(cell);
  const known = valueAt(buckets, number)?.cells;
  const cells = new Map(known).set(key, added(known?.get(key), cell));
  return withValue(buckets, number, { number, cells });
}
