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
      const style: Style = item.level === "info" ? { dim: true } : { role: item.level };
      return marked(`${marks.notice} `, text, { width, style });
    }
    case "failure":
      return marked(`${marks.notice} `, visibleText(item.failure.message), { width, style: { role: "error" } });
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
      return marked(`${marks.notice} `, idleText(item.reason, item.detail), {
        width,
        style: { role: item.reason === "failed" ? "error" : "warning" },
      });
    case "stopped": {
      const detail = item.detail === undefined ? "" : `: ${visibleText(item.detail)}`;
      const style: Style = item.outcome === "completed" ? { dim: true } : { role: "warning" };
      return marked(`${marks.notice} `, `Ended (${item.outcome})${detail}`, { width, style });
    }
  }
}

function idleText(reason: string, detail: string | undefined): string {
  const more = detail === undefined || detail === "" ? "" : `: ${visibleText(detail)}`;
  if (reason === "interrupted") return `Interrupted${more}. What should the agent do instead?`;
  if (reason === "limit") return `Stopped at a limit${more}`;
  return `Failed${more}`;
}

const foldedPrompt = 20;
const foldedMail = 8;
const foldedSignal = 1;

/** Renders a prompt by its source: user text, mail, and notifications of the runtime look different. */
function promptLines(item: Extract<TranscriptItem, { kind: "prompt" }>, { width, marks, expanded }: Look): Line[] {
  const text = item.parts.map(partText).join("\n").trim();
  switch (item.source) {
    case "user": {
      const mark = span(`${marks.prompt} `, { role: "user", bold: true });
      const body = textLines(text, roomAfter(mark.text, width), { role: "user" });
      return withHangingIndent(
        expanded ? body : firstLines(body, foldedPrompt, " (ctrl+o)"),
        mark,
        indentOf(mark.text),
      );
    }
    case "mail": {
      const { from, words, color } = mailIn(text);
      const head = marked("← ", `mail from ${from}`, { width, style: { role: "accent", agent: color } });
      const body = textLines(words, width - 2);
      return [...head, ...indented(expanded ? body : firstLines(body, foldedMail, " (ctrl+o)"))];
    }
    case "background":
    case "hook":
    case "agent": {
      const body = textLines(notificationText(text), width - 2, { dim: true });
      const [first = [], ...rest] = expanded ? body : firstLines(body, foldedSignal, " (ctrl+o)");
      return [[span("· ", { dim: true }), ...first], ...indented(rest)];
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
