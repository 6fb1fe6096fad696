import type { Style } from "../theme.ts";
import { span, type Span } from "../terminal/terminal-lines.ts";

/** Parses inline Markdown: code, bold, italic, strikethrough, links. Unclosed marks stay as written. */
export function inlineSpans(text: string, style: Style = {}): Span[] {
  const spans: Span[] = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") spans.push(span(plain, isPlainStyle(style) ? undefined : style));
    plain = "";
  };
  let at = 0;
  while (at < text.length) {
    const found = markAt(text, at);
    if (!found) {
      const isEscape = text[at] === "\\" && /[\\`*_{}[\]()#+\-.!~|<>]/.test(text[at + 1] ?? "");
      plain += isEscape ? text[at + 1] : text[at];
      at += isEscape ? 2 : 1;
      continue;
    }
    flush();
    if (found.isFinal) spans.push(span(found.text, { ...style, ...found.style }));
    else spans.push(...inlineSpans(found.text, { ...style, ...found.style }));
    if (found.after !== undefined) spans.push(span(found.after, { dim: true }));
    at = found.end;
  }
  flush();
  return spans;
}

interface Mark {
  readonly text: string;
  readonly style: Style;
  readonly end: number;
  /** True if its content is not parsed further. */
  readonly isFinal?: boolean;
  readonly after?: string | undefined;
}

function markAt(text: string, at: number): Mark | undefined {
  switch (text[at]) {
    case "`":
      return codeAt(text, at);
    case "*":
    case "_":
    case "~":
      return emphasisAt(text, at);
    case "[":
      return linkAt(text, at);
    default:
      return undefined;
  }
}

function codeAt(text: string, at: number): Mark | undefined {
  let ticks = 1;
  while (text[at + ticks] === "`") ticks += 1;
  const end = text.indexOf("`".repeat(ticks), at + ticks);
  if (end < 0) return undefined;
  const inner = text.slice(at + ticks, end);
  return {
    text: inner.length > 2 ? inner.replace(/^ (.*) $/, "$1") : inner,
    style: { role: "code" },
    end: end + ticks,
    isFinal: true,
  };
}

function emphasisAt(text: string, at: number): Mark | undefined {
  const sign = text[at] as string;
  const mark = text[at + 1] === sign ? sign + sign : sign;
  if (mark === "~") return undefined;
  // snake_case and 2 * 3 contain no marks: a mark opens before a word, and _ never inside a word.
  const isInWord = /\w/.test(text[at - 1] ?? "") && sign === "_";
  if (isInWord || /\s|^$/.test(text[at + mark.length] ?? "")) return undefined;
  const from = at + mark.length;
  // Limits the search, so that a paragraph with many open marks stays fast.
  const window = text.slice(from, from + 2000);
  for (let end = window.indexOf(mark); end >= 0; end = window.indexOf(mark, end + 1)) {
    const before = window[end - 1] ?? " ";
    if (/[\s\\]/.test(before) || (mark.length === 1 && before === sign)) continue;
    if (mark.length === 1 && window[end + 1] === sign) {
      end += 1;
      continue;
    }
    if (sign === "_" && /\w/.test(window[end + mark.length] ?? "")) continue;
    const style: Style = sign === "~" ? { strike: true } : mark.length === 2 ? { bold: true } : { italic: true };
    return { text: window.slice(0, end), style, end: from + end + mark.length };
  }
  return undefined;
}

function linkAt(text: string, at: number): Mark | undefined {
  const parts = /^\[([^[\]\n]{1,500})\]\(([^()\s]{1,1000})\)/.exec(text.slice(at, at + 1600));
  if (!parts) return undefined;
  const [whole, words = "", target = ""] = parts;
  // The target is always shown, because the text of a link can say anything.
  const after = target === words ? undefined : ` (${target})`;
  return { text: words, style: { role: "link", underline: true }, end: at + whole.length, after };
}

const isPlainStyle = (style: Style): boolean => Object.keys(style).length === 0;
