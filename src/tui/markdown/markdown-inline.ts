import type { MarkedToken, Token } from "marked";
import { decodeHtmlEntities, visibleText } from "../../view/index.ts";
import { span, type Line, type Span } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";

/** Renders inline Markdown as lines that are not wrapped yet. Line breaks stay where the text has them. */
export function inlineLines(tokens: readonly Token[], style: Style = {}): Line[] {
  const lines: Span[][] = [[]];
  for (const { text, style: own } of inlineSpans(tokens, style)) {
    for (const [index, row] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      const last = lines.at(-1) as Span[];
      if (row !== "") last.push(span(row, own));
    }
  }
  return lines;
}

/** Makes text of an agent safe for a line: entities are decoded, hidden characters are shown, tabs are spaces. */
export const cleanText = (text: string): string => visibleText(decodeHtmlEntities(text)).replaceAll("\t", "    ");

function inlineSpans(tokens: readonly Token[], style: Style): Span[] {
  return tokens.flatMap((token) => spansOf(token as MarkedToken, style));
}

function spansOf(token: MarkedToken, style: Style): Span[] {
  switch (token.type) {
    case "strong":
      return inlineSpans(token.tokens, { ...style, bold: true });
    case "em":
      return inlineSpans(token.tokens, { ...style, italic: true });
    case "del":
      return inlineSpans(token.tokens, { ...style, strike: true });
    case "codespan":
      return [span(visibleText(token.text).replaceAll("\t", "    "), { ...style, role: "code" })];
    case "link": {
      const said = inlineSpans(token.tokens, { ...style, role: "link", underline: true });
      // The target is always shown, because the text of a link can say anything.
      return token.text === token.href || token.raw === token.text ? said : [...said, target(token.href)];
    }
    case "image":
      return [...plain(`[image: ${token.text}]`, style), target(token.href)];
    case "checkbox":
      return [span(token.checked ? "[x] " : "[ ] ", { role: token.checked ? "success" : "accent" })];
    case "br":
      return [span("\n")];
    case "text":
      return token.tokens ? inlineSpans(token.tokens, style) : plain(token.text, style);
    case "escape":
      return plain(token.text, style);
    case "html":
    case "blockquote":
    case "code":
    case "def":
    case "heading":
    case "hr":
    case "list":
    case "list_item":
    case "paragraph":
    case "space":
    case "table":
      return [span(visibleText(token.raw).replaceAll("\t", "    "), style)];
  }
}

const plain = (text: string, style: Style): Span[] => [
  span(cleanText(text), Object.keys(style).length === 0 ? undefined : style),
];

const target = (href: string): Span => span(` (${cleanText(href).replaceAll("\n", " ")})`, { dim: true });
