import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "../../../src/tui/markdown/diff-lines.ts";
import { markdownLines } from "../../../src/tui/markdown/markdown-lines.ts";
import { breakLine, type Line, lineWidth, span, wrapLine } from "../../../src/tui/terminal/terminal-lines.ts";
import { cutTo, widthOf } from "../../../src/tui/terminal/terminal-width.ts";
import { createTheme } from "../../../src/tui/theme.ts";

const theme = createTheme({ env: { NO_COLOR: "1" } });
const text = (lines: readonly Line[]) =>
  lines.map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );
const shown = (markdown: string, width = 60) => text(markdownLines(markdown, width, theme.marks));

test("headings, lists, quotes, rules and links", () => {
  expect(
    shown(
      "# Title #\n\n- one\n  - two `code`\n3. three\n- [x] done\n> said\n\n---\nsee [docs](https://a.b/c) and **bold** *it* ~~no~~",
    ),
  ).toEqual([
    "Title",
    "",
    "• one",
    "  • two code",
    "3. three",
    "• [x] done",
    "│ said",
    "",
    "─".repeat(40),
    "see docs (https://a.b/c) and bold it no",
  ]);
});

test("text that is not markup stays unchanged", () => {
  const odd = "snake_case_name 2 * 3 * 4 a*b **open [x] (y) \\*kept\\* `tick";
  expect(shown(odd, 80)).toEqual(["snake_case_name 2 * 3 * 4 a*b **open [x] (y) *kept* `tick"]);
});

test("code keeps its spaces, and an unclosed fence is code to the end", () => {
  expect(shown("```ts\nif (a) {\n\treturn `x`;\n}\n```\nafter")).toEqual([
    "  if (a) {",
    "    return `x`;",
    "  }",
    "after",
  ]);
  expect(shown("```\nopen")).toEqual(["  open"]);
});

test("code is highlighted by token kind", () => {
  const [line = []] = markdownLines('```ts\nconst a = "b"; // c 1\n```', 60, theme.marks);
  expect(line.filter(({ style }) => style).map(({ text, style }) => `${style?.role} ${text}`)).toEqual([
    "keyword const",
    'string "b"',
    "comment // c 1",
  ]);
});

test("blocks inside a list stand under its text, and numbers count", () => {
  expect(
    shown("1. one\n   ```ts\n   const a = 1;\n   ```\n1. two\n   more\n\n   - deep\n\n     words\n\n> a\n> - b"),
  ).toEqual([
    "1. one",
    "     const a = 1;",
    "2. two",
    "   more",
    "",
    "   • deep",
    "",
    "     words",
    "",
    "│ a",
    "│ • b",
  ]);
});

test("rows of a text stay rows, and keep their indent when they are wrapped", () => {
  expect(shown("Agents\n  lead  is idle\n    a long row with words", 20)).toEqual([
    "Agents",
    "  lead  is idle",
    "    a long row with",
    "    words",
  ]);
});

test("references, entities, pictures, addresses and tags", () => {
  expect(shown("see [it][1] &amp; ![alt](a.png)\nhttps://a.b <b>bold</b> &#x202e;x\n\n[1]: https://c.d")).toEqual([
    "see it (https://c.d) & [image: alt] (a.png)",
    "https://a.b <b>bold</b> [U+202E]x",
  ]);
});

test("every beginning of a text can be shown while it arrives", () => {
  const whole =
    "# A\n\n- **b** `c`\n  1. [d](https://e.f)\n\n```ts\nconst g = 1;\n```\n\n| h | i |\n|---|---|\n| j | k |\n";
  for (let end = 0; end <= whole.length; end++)
    for (const line of markdownLines(whole.slice(0, end), 20, theme.marks))
      expect(lineWidth(line)).toBeLessThanOrEqual(20);
});

test("a text that is nested too deep is shown as it is written", () => {
  const deep = `${"> ".repeat(3000)}end`;
  expect(shown(deep, 60).join(" ")).toContain("> end");
  expect(shown("-  ".repeat(50), 20).every((line) => line.length <= 20)).toBe(true);
});

const table = "| name | what |\n|---|:-:|\n| a | one \\| two |\n| long | some words that need room |";

test("tables: numbers at the right where the text says so", () => {
  expect(shown("| file | lines |\n|---|---:|\n| a.ts | 2 |\n| b.ts | 120 |", 60)).toEqual([
    "file  lines",
    "────  ─────",
    "a.ts      2",
    "b.ts    120",
  ]);
});

test("tables: aligned columns, wrapped cells, a list where it is narrow", () => {
  expect(shown(table, 60)).toEqual([
    "name            what",
    "────  ─────────────────────────",
    "a             one | two",
    "long  some words that need room",
  ]);
  expect(shown(table, 24)).toEqual([
    "name         what",
    "────  ──────────────────",
    "a         one | two",
    "long   some words that",
    "          need room",
  ]);
  expect(shown("| aaaaaaaa | bbbbbbbb | cccccccc |\n|-|-|-|\n| 1 | 2 | 3 |", 20)).toEqual([
    "aaaaaaaa: 1",
    "bbbbbbbb: 2",
    "cccccccc: 3",
    "",
  ]);
});

test("no escape sequence passes through", () => {
  const hostile = "\x1b]52;c;aGk=\x07 **\x1b[2J** `\x1b[31m` \u202e\n```\n\x9b1A\n```";
  // oxlint-disable-next-line no-control-regex -- that there are none is what is tested
  expect(text(markdownLines(hostile, 60, theme.marks)).join("\n")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});

test("no line is wider than the terminal, for any text", () => {
  const words = fc.array(
    fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("日本語", "👩‍👩‍👧", "**b**", "| a |", "- ")),
  );
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 80 }), (parts, width) => {
      for (const line of markdownLines(parts.join(" "), width, theme.marks))
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
    }),
  );
});

test("wrapping loses nothing but blanks at the breaks", () => {
  const line = [span("one two "), span("three-and-four", { bold: true }), span(" five")];
  expect(text(wrapLine(line, 8))).toEqual(["one two", "three-an", "d-four", "five"]);
  expect(text(breakLine([span("a  b  c")], 3))).toEqual(["a", "b  ", "c"].map((part) => part.trimEnd()));
});

test("widths of grapheme clusters", () => {
  expect(["a", "日", "é", "e\u0301", "👍", "👩‍👩‍👧", "❤️", "🇩🇪", "\u200b"].map(widthOf)).toEqual([
    1, 2, 1, 1, 2, 2, 2, 2, 0,
  ]);
  expect([cutTo("日本語", 4), cutTo("abc", 3), cutTo("abcd", 3)]).toEqual(["日…", "abc", "ab…"]);
});

test("diffs have line numbers, and signs that need no colour", () => {
  const patch =
    "--- a/x\n+++ b/x\n@@ -9,3 +9,3 @@\n a\n-b\n+c\n d\n@@ -20 +20 @@\n-e\n+f\n\\ No newline at end of file\n";
  expect(text(diffLines(patch, 40))).toEqual([
    " 9  a",
    "10 -b",
    "10 +c",
    "11  d",
    "⋮",
    "20 -e",
    "20 +f",
    "\\ No newline at end of file",
  ]);
});
