import { visibleText } from "../../view/index.ts";
import { highlightCode } from "./markdown-code.ts";
import { inlineSpans } from "./markdown-inline.ts";
import { tableLines } from "./markdown-table.ts";
import type { Marks } from "../theme.ts";
import { breakLine, withHangingIndent, type Line, span, wrapLine } from "../terminal/terminal-lines.ts";

/** Renders Markdown as terminal lines. Unknown syntax stays as written. */
export function markdownLines(markdown: string, width: number, marks: Marks): Line[] {
  const rows = visibleText(markdown).replace(/\s+$/, "").split("\n");
  const lines: Line[] = [];
  let at = 0;
  while (at < rows.length) {
    const block = blockAt(rows, at, { width, marks });
    lines.push(...block.lines);
    at = block.next;
  }
  return lines;
}

interface Block {
  readonly lines: readonly Line[];
  readonly next: number;
}

interface Layout {
  readonly width: number;
  readonly marks: Marks;
}

function blockAt(rows: readonly string[], at: number, layout: Layout): Block {
  const { width, marks } = layout;
  const row = (rows[at] ?? "").replaceAll("\t", "    ");
  const fence = /^( *)(`{3,}|~{3,}) *([\w+#.-]*)/.exec(row);
  if (fence) return codeBlock(rows, at, { fence, width });
  if (row.trim() === "") return { lines: rows[at - 1]?.trim() === "" ? [] : [[]], next: at + 1 };
  const heading = /^(#{1,6}) +(.*?)(?: +#+)?$/.exec(row);
  if (heading) {
    const style = { role: "heading", bold: true, underline: heading[1]?.length === 1 } as const;
    return { lines: wrapLine(inlineSpans(heading[2] ?? "", style), width), next: at + 1 };
  }
  if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/.test(row)) {
    return { lines: [[span(marks.rule.repeat(Math.min(width, 40)), { dim: true })]], next: at + 1 };
  }
  const table = tableLines(rows, at, layout);
  if (table) return table;
  const quote = /^ {0,3}> ?(.*)$/.exec(row);
  if (quote) {
    const inner = wrapLine(inlineSpans(quote[1] ?? "", { italic: true }), width - 2);
    const bar = span(`${marks.quote} `, { dim: true });
    return { lines: withHangingIndent(inner, bar, bar), next: at + 1 };
  }
  const item = /^( *)([-*+]|\d{1,9}[.)]) +(.*)$/.exec(row);
  if (item) {
    const [, indent = "", sign = "", text = ""] = item;
    const first = `${indent.slice(0, 12)}${/\d/.test(sign) ? sign : marks.bullet} `;
    return {
      lines: withHangingIndent(wrapLine(taskSpans(text), width - first.length), span(first, { role: "accent" })),
      next: at + 1,
    };
  }
  const indent = /^ {0,12}/.exec(row)?.[0] ?? "";
  return {
    lines: withHangingIndent(wrapLine(inlineSpans(row.trim()), width - indent.length), span(indent)),
    next: at + 1,
  };
}

function taskSpans(text: string) {
  const task = /^\[([ xX])\] +(.*)$/.exec(text);
  if (!task) return inlineSpans(text);
  const isDone = task[1] !== " ";
  return [span(isDone ? "[x] " : "[ ] ", { role: isDone ? "success" : "accent" }), ...inlineSpans(task[2] ?? "")];
}

/** Reads up to the closing fence, or to the end of a block that is still being written. */
function codeBlock(
  rows: readonly string[],
  at: number,
  { fence, width }: { fence: RegExpExecArray; width: number },
): Block {
  const [, indent = "", ticks = "", language = ""] = fence;
  const isClosing = (row: string) => row.trim().startsWith(ticks) && /^[`~]+$/.test(row.trim());
  let end = at + 1;
  while (end < rows.length && !isClosing(rows[end] ?? "")) end += 1;
  const code = rows.slice(at + 1, end).map((row) => (row.startsWith(indent) ? row.slice(indent.length) : row));
  const inner = highlightCode(code.join("\n"), language).flatMap((line) => breakLine(line, width - 2));
  return { lines: code.length === 0 ? [] : inner.map((line) => [span("  "), ...line]), next: end + 1 };
}
