import { cachedShare, type CostReport, type CostSum } from "./cost-report.ts";
import { visibleLine } from "../../protocol/index.ts";

/** Renders one session for people: a line for each agent and model, and the total. */
export function costTable({ rows, total }: CostReport): string {
  return table(
    ["agent", "model", ...sumHeads],
    [
      ...rows.map((row) => [row.agent, row.model, ...sumCells(row)]),
      ...(rows.length === 1 ? [] : [["total", "", ...sumCells(total)]]),
    ],
  );
}

/** Renders named sums, of sessions or models. */
export function costSums(head: string, sums: readonly (readonly [name: string, sum: CostSum])[]): string {
  return table(
    [head, ...sumHeads],
    sums.map(([name, sum]) => [name, ...sumCells(sum)]),
  );
}

const sumHeads = ["requests", "input", "output", "cache read", "cache write", "cached", "lost", "USD"];

function sumCells(sum: CostSum): string[] {
  const { usage } = sum;
  const share = cachedShare(sum);
  return [
    String(sum.requests),
    shortCount(usage.inputTokens),
    shortCount(usage.outputTokens),
    shortCount(usage.cacheReadTokens),
    shortCount(usage.cacheWriteTokens),
    share === undefined ? "-" : `${Math.round(share * 100)} %`,
    sum.lostAttempts === 0 ? "-" : `${sum.lostAttempts} ($${dollars(sum.lostUsd)})`,
    dollars(sum.costUsd),
  ];
}

/** Small sums keep four digits, large ones two. */
const dollars = (usd: number) => usd.toFixed(usd >= 100 ? 2 : 4);

function shortCount(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 999_500) return `${(count / 1000).toFixed(count < 99_950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(count < 99_950_000 ? 2 : 0)}M`;
}

/** Aligns text left and numbers right, with two spaces between columns. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const words = heads.length - sumHeads.length;
  const lines = [heads, ...rows].map((line) => line.map((cell) => visibleLine(cell)));
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column < words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}
