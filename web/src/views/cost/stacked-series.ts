import { type CostCell, type CostSeries, valuesOf } from "../../../../src/view/index.ts";
import { type GroupBy, type CostGroup, keyOf, tokens } from "./cost-groups.ts";

export type Measure = "usd" | "tokens";

/** Sums over time, one upon the other. */
export interface StackedSeries {
  /** When each step ends; the first is the beginning, where all is nothing. */
  readonly times: readonly number[];
  /** From the bottom up; the last may be of all that have none of their own. */
  readonly layers: readonly Layer[];
  /** Of all, at each time. */
  readonly totals: readonly number[];
}

export interface Layer {
  readonly key: string;
  readonly name: string;
  readonly color: CostGroup["color"] | undefined;
  /** At each time, all that was spent until then. */
  readonly sums: readonly number[];
}

/** So many have a layer of their own. */
const most = 7;

export interface StackOptions {
  readonly groups: readonly CostGroup[];
  readonly by: GroupBy;
  readonly measure: Measure;
  /** The end of what is drawn, if that is later than the last. */
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

/** A round number not far above, for the top of a scale; a quarter of it is round too. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((each) => each * power >= value * 0.999_999) ?? 10;
  return step * power;
}

/** Few times, for a table: the last step of each part. */
export function thinOut(stack: StackedSeries, rows: number): readonly number[] {
  const count = stack.times.length - 1;
  const step = Math.max(1, Math.ceil(count / rows));
  const picked: number[] = [];
  for (let index = count; index >= 1; index -= step) picked.push(index);
  return picked.reverse();
}
