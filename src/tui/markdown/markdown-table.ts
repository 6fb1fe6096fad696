import type { Tokens } from "marked";
import { type Line, lineWidth, span, wrapLine } from "../terminal/terminal-lines.ts";
import type { Marks, Style } from "../theme.ts";
import { inlineLines } from "./markdown-inline.ts";

/** Renders a table with aligned columns and wrapped cells. On a narrow screen each row becomes a list. */
export function tableLines(
  table: Tokens.Table,
  { width, marks, style }: { readonly width: number; readonly marks: Marks; readonly style: Style },
): Line[] {
  const head = table.header.map((cell) => cellLine(cell, { ...style, bold: true }));
  const body = table.rows.map((row) => row.map((cell) => cellLine(cell, style)));
  const widths = columnWidths([head, ...body], width - gap.length * (head.length - 1));
  if (!widths) return body.flatMap((row) => asList(head, row, width));
  const rule: Line = [span(widths.map((size) => marks.rule.repeat(size)).join(gap), { dim: true })];
  const columns = widths.map((size, index) => ({ size, align: table.align[index] ?? null }));
  return [...tableRow(head, columns), rule, ...body.flatMap((row) => tableRow(row, columns))];
}

const cellLine = ({ tokens }: Tokens.TableCell, style: Style): Line => inlineLines(tokens, style).flat();

const gap = "  ";
const minColumnWidth = 6;

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

interface Column {
  readonly size: number;
  readonly align: Tokens.Table["align"][number];
}

function tableRow(cells: readonly Line[], columns: readonly Column[]): Line[] {
  const wrapped = columns.map(({ size }, index) => wrapLine(cells[index] ?? [], size));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    columns.flatMap(({ size, align }, index) => {
      const line = wrapped[index]?.[row] ?? [];
      const free = size - lineWidth(line);
      const left = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
      const isLast = index === columns.length - 1;
      return [span(" ".repeat(left)), ...line, span(isLast ? "" : " ".repeat(free - left) + gap)];
    }),
  );
}

function asList(head: readonly Line[], row: readonly Line[], width: number): Line[] {
  const lines = head.flatMap((name, index) => wrapLine([...name, span(": "), ...(row[index] ?? [])], width));
  return [...lines, []];
}
