import { inlineSpans } from "./markdown-inline.ts";
import type { Marks } from "../theme.ts";
import { type Line, lineWidth, span, wrapLine } from "../terminal/terminal-lines.ts";

/** Renders a table with aligned columns and wrapped cells. On a narrow screen each row becomes a list. */
export function tableLines(
  rows: readonly string[],
  at: number,
  { width, marks }: { readonly width: number; readonly marks: Marks },
): { readonly lines: Line[]; readonly next: number } | undefined {
  if (!isRow(rows[at]) || !/^ *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/.test(rows[at + 1] ?? "")) return undefined;
  if (!(rows[at + 1] ?? "").includes("|")) return undefined;
  let next = at + 2;
  while (next < rows.length && isRow(rows[next])) next += 1;
  const head = cellsOf(rows[at] ?? "").map((cell) => inlineSpans(cell, { bold: true }));
  const body = rows.slice(at + 2, next).map((row) => {
    const cells = cellsOf(row).map((cell) => inlineSpans(cell));
    return head.map((_, index) => cells[index] ?? []);
  });
  const widths = columnWidths([head, ...body], width - gap.length * (head.length - 1));
  if (!widths) return { lines: body.flatMap((row) => asList(head, row, width)), next };
  const rule: Line = [span(widths.map((size) => marks.rule.repeat(size)).join(gap), { dim: true })];
  return { lines: [...tableRow(head, widths), rule, ...body.flatMap((row) => tableRow(row, widths))], next };
}

const gap = "  ";
const minColumnWidth = 6;

const isRow = (row: string | undefined): boolean => row !== undefined && row.includes("|") && row.trim() !== "";

function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/**
 * Gives each column its natural width, then shrinks the widest until all fit. Returns undefined if the result is too
 * narrow.
 */
function columnWidths(rows: readonly (readonly Line[])[], room: number): number[] | undefined {
  const count = rows[0]?.length ?? 0;
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(1, ...rows.map((row) => lineWidth(row[index] ?? []))),
  );
  let over = widths.reduce((sum, size) => sum + size, 0) - room;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const size = widths[widest] ?? 0;
    if (size <= minColumnWidth) return undefined;
    widths[widest] = size - 1;
    over -= 1;
  }
  return widths;
}

function tableRow(cells: readonly Line[], widths: readonly number[]): Line[] {
  const wrapped = widths.map((size, index) => wrapLine(cells[index] ?? [], size));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths.flatMap((size, index) => {
      const line = wrapped[index]?.[row] ?? [];
      const isLast = index === widths.length - 1;
      return [...line, span(isLast ? "" : " ".repeat(size - lineWidth(line)) + gap)];
    }),
  );
}

function asList(head: readonly Line[], row: readonly Line[], width: number): Line[] {
  const lines = head.flatMap((name, index) => wrapLine([...name, span(": "), ...(row[index] ?? [])], width));
  return [...lines, []];
}
