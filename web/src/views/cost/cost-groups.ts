import { type AgentColor, visibleLine } from "../../../../src/protocol/index.ts";
import { addCosts, type CostCell, type CostSeries, type CostSum, valuesOf } from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../state/roster.ts";

export type GroupBy = "agent" | "model";

export interface CostGroup extends CostSum {
  readonly key: string;
  readonly name: string;
  /** The lead's colour is that of the text. */
  readonly color: AgentColor | "lead";
  /** For an agent its models; for a model the number of its agents. */
  readonly note: string;
}

/** Most expensive first. An agent has the same colour as everywhere; others get one that is free. */
export function costGroups(series: CostSeries, by: GroupBy, roster: readonly RosterEntry[]): readonly CostGroup[] {
  const sums = new Map<string, { sum: CostSum; cells: CostCell[] }>();
  for (const cell of valuesOf(series.sums)) {
    const key = keyOf(cell, by);
    const known = sums.get(key);
    if (known) known.cells.push(cell);
    sums.set(key, known ? { ...known, sum: addCosts(known.sum, cell) } : { sum: cell, cells: [cell] });
  }
  const sorted = [...sums].sort(([, a], [, b]) => b.sum.costUsd - a.sum.costUsd || tokens(b.sum) - tokens(a.sum));
  const entries = new Map(roster.map((entry) => [entry.agent?.id as string | undefined, entry]));
  const colors = colorsFor(sorted.map(([key]) => (by === "agent" ? ownColor(entries.get(key)) : undefined)));
  return sorted.map(([key, { sum, cells }], index) => {
    const name = visibleLine((by === "agent" ? entries.get(key)?.name : undefined) ?? key);
    const { requests, lostAttempts, lostUsd, usage, costUsd } = sum;
    const color = colors[index] ?? "blue";
    return { key, name, color, note: noteOf(cells, by), requests, lostAttempts, lostUsd, usage, costUsd };
  });
}

const ownColor = (entry: RosterEntry | undefined): CostGroup["color"] | undefined =>
  entry?.kind === "lead" && entry.color === undefined ? "lead" : entry?.color;

/** Assigns the own colours first, then the remaining ones. */
function colorsFor(own: readonly (CostGroup["color"] | undefined)[]): readonly CostGroup["color"][] {
  const free = new Set<CostGroup["color"]>(palette);
  for (const color of own) if (color) free.delete(color);
  return own.map((color, index) => {
    const given = color ?? [...free][0] ?? palette[index % palette.length] ?? "blue";
    free.delete(given);
    return given;
  });
}

const palette: readonly AgentColor[] = ["blue", "orange", "green", "purple", "cyan", "pink", "yellow", "red"];

export const keyOf = ({ agent, model }: CostCell, by: GroupBy): string => (by === "model" ? model : (agent ?? ""));

const noteOf = (cells: readonly CostCell[], by: GroupBy): string =>
  by === "agent"
    ? [...new Set(cells.map(({ model }) => visibleLine(model)))].join(", ")
    : `${new Set(cells.map(({ agent }) => agent)).size} ${cells.length === 1 ? "agent" : "agents"}`;

export const tokens = ({ usage }: CostSum): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;

export const noCost: CostSum = {
  requests: 0,
  lostAttempts: 0,
  lostUsd: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
};

export const totalOf = (groups: readonly CostSum[]): CostSum => groups.reduce(addCosts, noCost);
