import { formatCost, formatDuration, formatTokens } from "../format-counts.ts";
import { type Level, levelStyle, markOf } from "../theme.ts";
import { mailIn, notificationText, type TranscriptItem, visibleText } from "../../view/index.ts";
import { markdownLines } from "../markdown/markdown-lines.ts";
import { firstLines, withHangingIndent, type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";
import { callLines } from "./transcript-call.ts";
import { indentOf, indented, type Look, marked, partText, roomAfter, textLines, tokens } from "./transcript-text.ts";

/** Renders one item of a transcript, with a blank line before it. */
export function itemLines(item: TranscriptItem, look: Look): Line[] {
  const lines = linesOf(item, look);
  return lines.length === 0 ? [] : [[], ...lines];
}

function linesOf(item: TranscriptItem, look: Look): Line[] {
  const { marks, width, agent } = look;
  switch (item.kind) {
    case "prompt":
      return promptLines(item, look);
    case "text": {
      if (item.text.trim() === "") return [];
      const mark = span(`${marks.answer} `, { role: "accent", agent });
      return withHangingIndent(markdownLines(item.text, roomAfter(mark.text, width), marks), mark, indentOf(mark.text));
    }
    case "thinking":
      return thinkingLines(item, look);
    case "call":
      return callLines(item, look);
    case "notice": {
      const text = visibleText(item.message);
      if (item.code === "command_output") return markdownLines(text, width, marks);
      return marked(`${markOf(item.level, marks)} `, text, { width, style: levelStyle(item.level) });
    }
    case "failure":
      return marked(`${marks.error} `, visibleText(item.failure.message), { width, style: levelStyle("error") });
    case "compaction": {
      const head = `Older turns (${tokens(item.tokensBefore)} tokens) were replaced by a summary.`;
      const rest = look.expanded ? markdownLines(item.summary, width - 2, marks) : [];
      return [...marked(`${marks.thinking} `, head, { width, style: { dim: true } }), ...indented(rest)];
    }
    case "summary":
      return [
        ...marked(`${marks.thinking} `, "Summary:", { width, style: { dim: true } }),
        ...indented(markdownLines(item.text, width - 2, marks)),
      ];
    case "idle":
      return levelLines(item.reason === "failed" ? "error" : "warning", idleText(item.reason, item.detail), look);
    case "done":
      return levelLines("success", doneText(item), look);
    case "stopped": {
      const detail = item.detail === undefined ? "" : `: ${visibleText(item.detail)}`;
      return levelLines(item.outcome === "completed" ? "info" : "warning", `Ended (${item.outcome})${detail}`, look);
    }
  }
}

const levelLines = (level: Level, text: string, { width, marks }: Look): Line[] =>
  marked(`${markOf(level, marks)} `, text, { width, style: levelStyle(level) });

function doneText({ durationMs, tokens: used, costUsd }: Extract<TranscriptItem, { kind: "done" }>): string {
  const facts = [formatDuration(durationMs), ...(used > 0 ? [formatTokens(used)] : [])];
  return ["Done", ...facts, ...(costUsd > 0 ? [formatCost(costUsd)] : [])].join(" · ");
}

function idleText(reason: string, detail: string | undefined): string {
  const more = detail === undefined || detail === "" ? "" : `: ${visibleText(detail)}`;
  if (reason === "interrupted") return `Interrupted${more}. What should the agent do instead?`;
  if (reason === "limit") return `Stopped at a limit${more}`;
  return `Failed${more}`;
}

const foldedPrompt = 20;
const foldedMail = 8;
const foldedSignal = 2;

/** Renders a prompt by its source: user text, mail, and notifications of the runtime look different. */
function promptLines(item: Extract<TranscriptItem, { kind: "prompt" }>, { width, marks, expanded }: Look): Line[] {
  const text = item.parts.map(partText).join("\n").trim();
  switch (item.source) {
    case "user": {
      const style: Style = { role: "user", ground: "user" };
      const mark = span(`${marks.prompt} `, { ...style, bold: true });
      const body = textLines(text, roomAfter(mark.text, width), style);
      return withHangingIndent(
        expanded ? body : firstLines(body, foldedPrompt, " (ctrl+o)"),
        mark,
        indentOf(mark.text),
      );
    }
    case "mail": {
      const { from, words, color } = mailIn(text);
      const head = marked("← ", from, { width, style: { role: "accent", agent: color } });
      const body = markdownLines(words, width - 2, marks);
      return [...head, ...indented(expanded ? body : firstLines(body, foldedMail, " (ctrl+o)"))];
    }
    case "background":
    case "hook":
    case "agent": {
      const [head = "", ...more] = notificationText(text).split("\n");
      const style: Style = { dim: true };
      const lines = marked(`${marks.hint} `, head, { width, style });
      const body = more.flatMap((row) => textLines(row, width - 4, style));
      return [...lines, ...indented(expanded ? body : firstLines(body, foldedSignal, " (ctrl+o)"), "    ")];
    }
  }
}

function thinkingLines(item: Extract<TranscriptItem, { kind: "thinking" }>, look: Look): Line[] {
  const { width, marks, expanded } = look;
  const style: Style = { dim: true, italic: true };
  const text = visibleText(item.text).trim();
  if (text === "") return item.redacted ? [[span(`${marks.thinking} thinking`, style)]] : [];
  if (expanded) return marked(`${marks.thinking} `, text, { width, style });
  const first = text.split("\n", 1)[0] ?? "";
  const [line = [], ...rest] = wrapLine([span(first, style)], roomAfter(`${marks.thinking} `, width) - 2);
  const isCut = rest.length > 0 || text.includes("\n");
  return [[span(`${marks.thinking} `, style), ...line, span(isCut ? " …" : "", style)]];
}
