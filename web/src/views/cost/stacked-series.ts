import { type CostCell, type CostSeries, valuesOf } from "../../../../src/view/index.ts";
import { type GroupBy, type CostGroup, keyOf, tokens } from "./cost-groups.ts";

export type Measure = "usd" | "tokens";

/** Cumulative sums over time, stacked. */
export interface StackedSeries {
  /** The end of each step; the first is the start, where all sums are zero. */
  readonly times: readonly number[];
  /** From the bottom up; the last may combine all series without their own layer. */
  readonly layers: readonly Layer[];
  /** The total of all layers at each time. */
  readonly totals: readonly number[];
}

export interface Layer {
  readonly key: string;
  readonly name: string;
  readonly color: CostGroup["color"] | undefined;
  /** The cumulative spending at each time. */
  readonly sums: readonly number[];
}

/** Maximum number of separate layers. */
const most = 7;

export interface StackOptions {
  readonly groups: readonly CostGroup[];
  readonly by: GroupBy;
  readonly measure: Measure;
  /** The end of the chart, if later than the last step. */
  readonly until: number;
}

export function stackSeries(series: CostSeries, { groups, by, measure, until }: StackOptions): StackedSeries {
  if (series.buckets.values.length === 0) return { times: [], layers: [], totals: [] };
  const own = groups.length <= most + 1 ? groups : groups.slice(0, most);
  const layers = own.map(({ key, name, color }): MutableLayer => ({ key, name, color, sums: [0] }));
  const rest: MutableLayer = { key: "", name: "others", color: undefined, sums: [0] };
  const byKey = new Map(layers.map((layer) => [layer.key, layer]));
  const amounts = new Map<number, Map<MutableLayer, number>>();
  for (const { number, cells } of valuesOf(series.buckets)) {
    const bucket = new Map<MutableLayer, number>();
    for (const cell of cells.values()) {
      const layer = byKey.get(keyOf(cell, by)) ?? rest;
      bucket.set(layer, (bucket.get(layer) ?? 0) + amountOf(cell, measure));
    }
    amounts.set(number, bucket);
  }
  const times = [series.first * series.width];
  const all = [...layers, rest];
  for (let number = series.first; number <= series.last; number++) {
    times.push((number + 1) * series.width);
    for (const layer of all) layer.sums.push((layer.sums.at(-1) ?? 0) + (amounts.get(number)?.get(layer) ?? 0));
  }
  if (until > (times.at(-1) ?? 0)) {
    times.push(until);
    for (const layer of all) layer.sums.push(layer.sums.at(-1) ?? 0);
  }
  const used = all.filter((layer) => layer !== rest || (layer.sums.at(-1) ?? 0) > 0);
  const totals = times.map((_, index) => used.reduce((sum, layer) => sum + (layer.sums[index] ?? 0), 0));
  return { times, layers: used, totals };
}

type MutableLayer = Layer & { readonly sums: number[] };

const amountOf = (cell: CostCell, measure: Measure): number => (measure === "usd" ? cell.costUsd : tokens(cell));

/** Returns a round number slightly above, for the top of a scale; a quarter of it is round too. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((each) => each * power >= value * 0.999_999) ?? 10;
  return step * power;
}

/** Reduces the times for a table: the last step of each part. */
export function thinOut(stack: StackedSeries, rows: number): readonly number[] {
  const count = stack.times.length - 1;
  const step = Math.max(1, Math.ceil(count / rows));
  const picked: number[] = [];
  for (let index = count; index >= 1; index -= step) picked.push(index);
  return picked.reverse();
}
