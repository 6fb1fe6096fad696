import { type Cell, cellsOf, styleOn } from "./terminal-cells.ts";

/**
 * Returns the shortest output that turns the lines `before` into `after`. The cursor starts below the last line of
 * `before` and ends below the last line of `after`. All of `before` must be visible.
 */
export function changeLines(before: readonly string[], after: readonly string[]): string {
  const changes = after.map((line, row) =>
    row < before.length ? changeLine(before[row] ?? "", line) : escapeSequence(line),
  );
  const first = changes.findIndex((change, row) => change !== "" || row >= before.length);
  const from = first < 0 ? after.length : first;
  if (from === before.length && after.length === before.length) return "";
  const pieces: string[] = [before.length > from ? `\x1b[${before.length - from}A` : ""];
  let skipped = 0;
  for (let row = from; row < after.length; row++) {
    const change = changes[row] ?? "";
    if (change === "" && row < before.length) {
      skipped += 1;
      continue;
    }
    pieces.push(downBy(skipped), change);
    skipped = 1;
  }
  pieces.push(downBy(skipped));
  if (after.length < before.length) pieces.push("\x1b[J");
  return pieces.join("");
}

/** Moves to the start of a line below. The first step must be a line break, because at the bottom it creates a line. */
function downBy(lines: number): string {
  return lines <= 4 ? "\n".repeat(lines) : `\n\x1b[${lines - 1}B`;
}

/** Turns one line into another, from the start of the line. */
export function changeLine(before: string, after: string): string {
  if (before === after) return "";
  const [old, next] = [cellsOf(before), cellsOf(after)];
  const isWhole = old.rest === "" && next.rest === "";
  // Behind the certain cells the line is written again completely.
  const certain = isWhole
    ? Math.max(old.cells.length, next.cells.length)
    : Math.min(old.cells.length, next.cells.length);
  const runs = runsOf(old.cells, next.cells, certain);
  const pieces: string[] = [];
  let column = 0;
  for (const [start, end] of runs) {
    const kept = Math.min(end, next.cells.length);
    pieces.push(rightBy(start - column), escapeSequence(next.cells.slice(start, kept)));
    if (end > next.cells.length) pieces.push("\x1b[K");
    column = Math.max(start, kept);
  }
  if (isWhole || (old.rest === next.rest && old.cells.length === next.cells.length)) return pieces.join("");
  const tail = escapeSequence(next.cells.slice(certain));
  pieces.push(rightBy(certain - column), "\x1b[K", tail, next.rest, next.rest === "" ? "" : "\x1b[m");
  return pieces.join("");
}

const nothing: Cell = { text: " ", style: "" };

const isSame = (a: Cell, b: Cell): boolean =>
  a.text === b.text && (a.style === b.style || (a.text === " " && isBare(a.style) && isBare(b.style)));

/** True if the style is invisible on a space: no strike, underline or background. */
const isBare = (style: string): boolean => style === "" || !/(?:^|;)(?:4|7|9|4\d|10\d)(?:;|$)/.test(style);

/** The approximate cost of a cursor jump in bytes. A shorter unchanged run is written again instead. */
const jump = 4;

/** Returns the ranges of columns that differ. */
function runsOf(old: readonly Cell[], next: readonly Cell[], upTo: number): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (let at = 0; at < upTo; at++) {
    const [was, is] = [old[at] ?? nothing, next[at] ?? nothing];
    if (isSame(was, is)) continue;
    const last = runs.at(-1);
    // A shorter line is cut at its new end.
    const end = at >= next.length ? upTo : at + 1;
    if (last && at - last[1] < jump && isOneStyle(next, last[1] - 1, at)) last[1] = end;
    else runs.push([Math.min(at, next.length), end]);
    if (at >= next.length) break;
  }
  return runs;
}

/** Rewriting the cells between two changes is cheap only without a style change. */
function isOneStyle(cells: readonly Cell[], from: number, to: number): boolean {
  const style = cells[from]?.style;
  for (let at = from + 1; at < Math.min(to, cells.length); at++) if (cells[at]?.style !== style) return false;
  return true;
}

function rightBy(columns: number): string {
  if (columns === 0) return "";
  return columns === 1 ? "\x1b[C" : `\x1b[${columns}C`;
}

/** Writes cells or a whole line with the fewest style changes, and resets the style at the end. */
function escapeSequence(what: readonly Cell[] | string): string {
  if (typeof what === "string") {
    const { cells, rest } = cellsOf(what);
    return `${escapeSequence(cells)}${rest}${rest === "" ? "" : "\x1b[m"}`;
  }
  let text = "";
  let style = "";
  for (const cell of what) {
    const isHidden = cell.text === " " && isBare(cell.style) && isBare(style);
    text += isHidden ? " " : styleOn(style, cell.style) + cell.text;
    style = isHidden ? style : cell.style;
  }
  return text + styleOn(style, "");
}
