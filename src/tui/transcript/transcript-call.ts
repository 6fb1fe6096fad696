import { type CallItem, callNote, callTitle, relativePaths, visibleText } from "../../view/index.ts";
import { diffCounts, diffLines } from "../markdown/diff-lines.ts";
import { markdownLines } from "../markdown/markdown-lines.ts";
import { firstLines, lastLines, withHangingIndent, type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import { widthOf } from "../terminal/terminal-width.ts";
import type { Style } from "../theme.ts";
import { indented, type Look, partText, textLines } from "./transcript-text.ts";

const folded = { diff: 24, failed: 10, output: 4 };
/** Limits one unfolded result, so that it does not fill the whole scrollback. */
const maxLines = 500;

/** Shows a call and its result: the title, then the diff, the end of the output, or a summary. */
export function callLines(call: CallItem, look: Look): Line[] {
  return [...titleLines(call, look), ...resultLines(call, look)];
}

/** Shows only the title of a call that is not settled. */
export function titleLines(call: CallItem, { width, marks, expanded, cwd }: Look): Line[] {
  const title = visibleText(callTitle(call, cwd));
  const rows = title.split("\n");
  const shown = expanded ? rows : rows.slice(0, 3);
  const lines = shown.flatMap((row) => wrapLine([span(row.replaceAll("\t", "  "), { bold: true })], width - 2));
  const more = rows.length > shown.length ? [[span(`… ${rows.length - shown.length} more lines`, { dim: true })]] : [];
  return withHangingIndent([...lines, ...more], span(`${marks.call} `, stateStyle(call)), span("  "));
}

function stateStyle({ state }: CallItem): Style {
  switch (state) {
    case "asked":
      return { dim: true };
    case "running":
      return { role: "accent" };
    case "ok":
      return { role: "success" };
    case "failed":
      return { role: "error" };
    case "denied":
    case "interrupted":
      return { role: "warning" };
  }
}

function resultLines(call: CallItem, look: Look): Line[] {
  const { width, expanded } = look;
  const { result } = call;
  if (!result) return call.state === "asked" ? [] : indentAfterMark([[span("no result", { dim: true })]], look);
  // The mark for screen readers is longer than the drawn one.
  const room = Math.max(10, width - Math.max(4, widthOf(look.marks.result) + 3));
  if (call.state === "ok" && result.display?.kind === "diff") {
    const { added, removed } = diffCounts(result.display.patch);
    const head: Line = [span(`${added} added, ${removed} removed`, { dim: true })];
    const lines = diffLines(result.display.patch, room, result.display.path);
    return indentAfterMark(
      [head, ...(expanded ? bounded(lines, look) : firstLines(lines, folded.diff, " (ctrl+o)"))],
      look,
    );
  }
  const style: Style =
    call.state === "ok" ? { dim: true } : call.state === "failed" ? { role: "error" } : { role: "warning" };
  const note = callNote(call);
  const text = note ?? result.content.map(partText).join("\n");
  const shown = relativePaths(visibleText(text), look.cwd).replace(/^\s*\n|\s+$/g, "");
  // An agent writes its report as Markdown.
  const isReport = call.name === "Agent" && call.state === "ok";
  const body = isReport ? markdownLines(shown, room, look.marks) : textLines(shown, room, style);
  const isEmpty = text.trim() === "";
  if (expanded) return indentAfterMark(isEmpty ? [nothing] : bounded(body, look), look);
  if (result.display?.kind === "summary") {
    return indentAfterMark(textLines(visibleText(result.display.text), room, style), look);
  }
  if (isEmpty) return indentAfterMark([nothing], look);
  if (note === undefined && call.state === "ok" && isQuiet(call))
    return indentAfterMark([[span(countText(text), style), span(" (ctrl+o)", { dim: true })]], look);
  const most = call.state === "ok" ? folded.output : folded.failed;
  // The end of a command's output is its news.
  return indentAfterMark((call.name === "Bash" ? lastLines : firstLines)(body, most, " (ctrl+o)"), look);
}

const nothing: Line = [span("(nothing)", { dim: true })];

/** Files that were read are not printed again. */
const isQuiet = ({ name }: CallItem): boolean => name === "Read" || name === "Skill" || name === "TaskOutput";

function countText(text: string): string {
  const count = text.replace(/\n$/, "").split("\n").length;
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

const bounded = (lines: readonly Line[], { isUnbounded = false }: Look): readonly Line[] =>
  isUnbounded ? lines : firstLines(lines, maxLines, "; `troupe sessions show` prints all");

function indentAfterMark(lines: readonly Line[], { marks }: Look): Line[] {
  const [first = [], ...rest] = lines;
  return [[span(`  ${marks.result} `, { dim: true }), ...first], ...indented(rest, "    ")];
}
