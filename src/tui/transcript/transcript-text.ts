import type { ContentPart } from "../../protocol/index.ts";
import { visibleLine, visibleText } from "../../view/index.ts";
import { withHangingIndent, type Line, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import { widthOf } from "../terminal/terminal-width.ts";
import type { Marks, Style } from "../theme.ts";

export interface Look {
  readonly width: number;
  readonly marks: Marks;
  /** The folder of the agent. Paths in it are shown relative to it. */
  readonly cwd: string;
  /** True if results and thinking are shown completely. */
  readonly expanded: boolean;
  /** True if their length is not limited. */
  readonly isUnbounded?: boolean;
  /** The color of the agent whose transcript it is. */
  readonly agent?: string | undefined;
}

export function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return visibleText(part.text);
    case "image":
      return `[image, ${visibleLine(part.mediaType)}]`;
    case "document":
      return `[document ${visibleLine(part.name)}]`;
  }
}

/** Wraps the text of a person or a program. */
export const textLines = (text: string, width: number, style?: Style): Line[] =>
  text.split("\n").flatMap((row) => wrapLine(plainLine(row, style), width));

export const indented = (lines: readonly Line[], by = "  "): Line[] => lines.map((line) => [span(by), ...line]);

interface Marking {
  readonly width: number;
  readonly style: Style;
}

export const marked = (mark: string, text: string, { width, style }: Marking): Line[] =>
  withHangingIndent(textLines(text, roomAfter(mark, width), style), span(mark, style), indentOf(mark));

export const roomAfter = (mark: string, width: number): number => Math.max(10, width - Math.min(2, widthOf(mark)));

/** A mark for screen readers is only on the first line. A drawn mark indents all lines by two columns. */
export const indentOf = (mark: string) => span(" ".repeat(Math.min(2, widthOf(mark))));

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
