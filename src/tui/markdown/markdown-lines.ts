import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { isMarkdown, visibleText } from "../../view/index.ts";
import {
  breakLine,
  type Line,
  plainLine,
  type Span,
  span,
  withHangingIndent,
  wrapLine,
} from "../terminal/terminal-lines.ts";
import { widthOf } from "../terminal/terminal-width.ts";
import type { Marks, Style } from "../theme.ts";
import { highlightCode } from "./highlight-code.ts";
import { inlineLines } from "./markdown-inline.ts";
import { tableLines } from "./markdown-table.ts";

/** Renders Markdown as terminal lines. Unclosed marks stay as written, so that a text can be shown while it arrives. */
export function markdownLines(markdown: string, width: number, marks: Marks): Line[] {
  const text = visibleText(markdown).replace(/\s+$/, "");
  if (!isMarkdown(text)) return text.split("\n").flatMap((row) => wrapLine(plainLine(row), width));
  return blockLines(lexer(text), { width, marks, style: {} });
}

interface Layout {
  readonly width: number;
  readonly marks: Marks;
  readonly style: Style;
}

/** Renders blocks one below the other, with one blank line where the text has any. */
function blockLines(tokens: readonly Token[], layout: Layout): Line[] {
  return stacked(tokens, (token) => linesOf(token as MarkedToken, layout));
}

function stacked<T extends { readonly raw: string }>(
  parts: readonly T[],
  linesOf: (part: T, index: number) => Line[],
): Line[] {
  const lines: Line[] = [];
  let hasBlank = false;
  for (const [index, part] of parts.entries()) {
    const own = linesOf(part, index);
    if (own.length > 0 && hasBlank && lines.length > 0) lines.push([]);
    if (own.length > 0) hasBlank = false;
    for (const line of own) lines.push(line);
    hasBlank ||= /\n[ \t]*\n\s*$/.test(part.raw);
  }
  return lines;
}

function linesOf(token: MarkedToken, layout: Layout): Line[] {
  const { width, marks, style } = layout;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return wrapped(token.tokens, layout, { ...style, role: "heading", bold: true, underline: token.depth === 1 });
    case "paragraph":
      return wrapped(token.tokens, layout);
    case "text":
      return wrapped(token.tokens ?? [token], layout);
    case "code":
      return codeLines(token, width);
    case "blockquote": {
      const bar = span(`${marks.quote} `, { dim: true });
      return inside(layout, [bar, bar], (room) =>
        blockLines(token.tokens, { ...room, style: { ...style, italic: true } }),
      );
    }
    case "list":
      return stacked(token.items, (item, index) =>
        itemLines(item, token.ordered ? `${Number(token.start) + index}.` : marks.bullet, layout),
      );
    case "list_item":
      return itemLines(token, marks.bullet, layout);
    case "table":
      return tableLines(token, layout);
    case "hr":
      return [[span(marks.rule.repeat(Math.min(width, 40)), { dim: true })]];
    case "html":
    case "checkbox":
    case "br":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "strong":
      return wrapped([token], layout);
  }
}

/** Wraps each row of the text by itself. A row keeps its indent. */
function wrapped(tokens: readonly Token[], layout: Layout, style = layout.style): Line[] {
  return inlineLines(tokens, style).flatMap((line) => {
    const [first, ...rest] = line;
    if (!first) return [];
    const indent = span(/^ {0,12}/.exec(first.text)?.[0] ?? "");
    const body = [span(first.text.trimStart(), first.style), ...rest];
    return indent.text === ""
      ? wrapLine(line, layout.width)
      : inside(layout, [indent, indent], ({ width }) => wrapLine(body, width));
  });
}

function codeLines({ text, lang }: Tokens.Code, width: number): Line[] {
  const language = /^[\w+#.-]*/.exec(lang ?? "")?.[0] ?? "";
  if (text === "") return [];
  const lines = highlightCode(text.replace(/\n$/, ""), language).flatMap((line) => breakLine(line, width - 2));
  return lines.map((line) => [span("  "), ...line]);
}

function itemLines({ tokens }: Tokens.ListItem, mark: string, layout: Layout): Line[] {
  const first = span(`${mark} `, { role: "accent" });
  // The parser gives the box of a task as a separate block. It belongs to the first line.
  const [box, text, ...rest] = tokens;
  const isTask = box?.type === "checkbox" && text?.type === "text" && text.tokens !== undefined;
  const blocks = isTask ? [{ ...text, tokens: [box, ...(text.tokens ?? [])] }, ...rest] : tokens;
  return inside(layout, [first, span(" ".repeat(widthOf(first.text)))], (room) => {
    const lines = blockLines(blocks, room);
    return lines.length === 0 ? [[]] : lines;
  });
}

const minWidth = 10;

/** Puts a mark before lines. Where it is too narrow for that, the lines stand alone. */
function inside(layout: Layout, [first, rest]: readonly [Span, Span], linesIn: (layout: Layout) => Line[]): Line[] {
  const width = layout.width - widthOf(first.text);
  return width < minWidth ? linesIn(layout) : withHangingIndent(linesIn({ ...layout, width }), first, rest);
}
