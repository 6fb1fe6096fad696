import type { Style, Theme } from "../theme.ts";
import { graphemesOf, graphemeWidth, widthOf } from "./terminal-width.ts";

/** A piece of text that looks the same all along. `text` is visible text without line breaks. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type Line = readonly Span[];

export const span = (text: string, style?: Style): Span => ({ text, style });

/** A line of visible text, tabs made to spaces. */
export const plainLine = (text: string, style?: Style): Line => [span(text.replaceAll("\t", "  "), style)];

export const paintLine = (line: Line, theme: Theme): string =>
  line.map(({ text, style }) => theme.paint(text, style)).join("");

export const paintLines = (lines: readonly Line[], theme: Theme): string =>
  lines.map((line) => paintLine(line, theme)).join("\n");

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** `first` before the first line, as much room before the others. */
export function withHangingIndent(
  lines: readonly Line[],
  first: Span,
  rest: Span = span(" ".repeat(widthOf(first.text))),
): Line[] {
  return lines.map((line, index) => [index === 0 ? first : rest, ...line]);
}

/** Breaks at words; a word that is longer than the line is broken anywhere. Never empty. */
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
        if (used + graphemeWidth(grapheme) > room && used > 0) breakLine();
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

/** Runs of spaces and of everything else; a word may be of several styles. */
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

/** Breaks a line anywhere, as a terminal does: for code, where every space counts. */
export function breakLine(line: Line, width: number): Line[] {
  const room = Math.max(1, width);
  if (lineWidth(line) <= room) return [line];
  const lines: Span[][] = [[]];
  let used = 0;
  for (const { text, style } of line) {
    let kept = "";
    for (const grapheme of graphemesOf(text)) {
      const size = graphemeWidth(grapheme);
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

/** At most `most` lines: of more the first, and how many were left out. */
export function firstLines(lines: readonly Line[], most: number, hint: string): Line[] {
  if (lines.length <= most) return [...lines];
  const left = lines.length - most;
  return [...lines.slice(0, most), [span(`… ${left} more ${left === 1 ? "line" : "lines"}${hint}`, { dim: true })]];
}
