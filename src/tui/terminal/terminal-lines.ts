import type { Style, Theme } from "../theme.ts";
import { graphemesOf, widthOf } from "./terminal-width.ts";

/** Text in one style. `text` is visible text without line breaks. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type Line = readonly Span[];

export const span = (text: string, style?: Style): Span => ({ text, style });

/** A line of visible text, with tabs replaced by spaces. */
export const plainLine = (text: string, style?: Style): Line => [span(text.replaceAll("\t", "  "), style)];

export const paintLine = (line: Line, theme: Theme): string =>
  line.map(({ text, style }) => theme.paint(text, style)).join("");

export const paintLines = (lines: readonly Line[], theme: Theme): string =>
  lines.map((line) => paintLine(line, theme)).join("\n");

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** Puts `first` before the first line and indents the other lines to match. */
export function withHangingIndent(
  lines: readonly Line[],
  first: Span,
  rest: Span = span(" ".repeat(widthOf(first.text))),
): Line[] {
  return lines.map((line, index) => [index === 0 ? first : rest, ...line]);
}

/** Wraps at words. A word longer than the line is broken anywhere. Never returns an empty array. */
export function wrapLine(line: Line, width: number): Line[] {
  const room = Math.max(1, width);
  if (lineWidth(line) <= room) return [line];
  const lines: Span[][] = [[]];
  let used = 0;
  const breakLine = () => {
    lines.push([]);
    used = 0;
  };
  const put = (text: string, style: Style | undefined) => {
    const last = lines.at(-1) as Span[];
    const before = last.at(-1);
    if (before && before.style === style) last[last.length - 1] = { text: before.text + text, style };
    else last.push({ text, style });
    used += widthOf(text);
  };
  for (const { text, isSpace, spans } of wordsOf(line)) {
    const size = widthOf(text);
    if (used + size > room && used > 0) {
      if (isSpace) {
        breakLine();
        continue;
      }
      breakLine();
    }
    if (isSpace && used === 0 && lines.length > 1) continue;
    if (size <= room) {
      for (const piece of spans) put(piece.text, piece.style);
      continue;
    }
    for (const piece of spans)
      for (const grapheme of graphemesOf(piece.text)) {
        if (used + widthOf(grapheme) > room && used > 0) breakLine();
        put(grapheme, piece.style);
      }
  }
  return lines;
}

interface Word {
  readonly text: string;
  readonly isSpace: boolean;
  readonly spans: readonly Span[];
}

/** Splits a line into runs of spaces and words. A word may have several styles. */
function wordsOf(line: Line): Word[] {
  const words: { text: string; isSpace: boolean; spans: Span[] }[] = [];
  for (const { text, style } of line) {
    for (const piece of text.match(/ +|[^ ]+/g) ?? []) {
      const isSpace = piece.startsWith(" ");
      const last = words.at(-1);
      if (last && last.isSpace === isSpace) {
        last.text += piece;
        last.spans.push({ text: piece, style });
      } else words.push({ text: piece, isSpace, spans: [{ text: piece, style }] });
    }
  }
  return words;
}

/** Wraps a line at any character, as a terminal does. For code, where every space counts. */
export function breakLine(line: Line, width: number): Line[] {
  const room = Math.max(1, width);
  if (lineWidth(line) <= room) return [line];
  const lines: Span[][] = [[]];
  let used = 0;
  for (const { text, style } of line) {
    let kept = "";
    for (const grapheme of graphemesOf(text)) {
      const size = widthOf(grapheme);
      if (used + size > room && used > 0) {
        if (kept !== "") lines.at(-1)?.push({ text: kept, style });
        lines.push([]);
        [kept, used] = ["", 0];
      }
      kept += grapheme;
      used += size;
    }
    if (kept !== "") lines.at(-1)?.push({ text: kept, style });
  }
  return lines;
}

/** Returns about `most` lines. If lines are left out, the last one tells how many: never one line for one line. */
export function firstLines(lines: readonly Line[], most: number, hint: string): Line[] {
  if (lines.length <= most + 1) return [...lines];
  return [...lines.slice(0, most), moreLine(lines.length - most, hint)];
}

/** The same from the end. The first line tells how many are left out. */
export function lastLines(lines: readonly Line[], most: number, hint: string): Line[] {
  if (lines.length <= most + 1) return [...lines];
  return [moreLine(lines.length - most, hint), ...lines.slice(-most)];
}

const moreLine = (left: number, hint: string): Line => [span(`… ${left} more lines${hint}`, { dim: true })];
