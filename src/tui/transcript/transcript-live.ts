import { type AgentView, type CallItem, groupKind, itemAt, visibleText } from "../../view/index.ts";
import { markdownLines } from "../markdown/markdown-lines.ts";
import { withHangingIndent, type Line, span } from "../terminal/terminal-lines.ts";
import { titleLines } from "./transcript-call.ts";
import { linesAt } from "./transcript-group.ts";
import { indented, type Look, partText, textLines } from "./transcript-text.ts";

/** The part that is not final: running calls, the current draft, queued prompts. A long part is cut to its end. */
export function liveLines(agent: AgentView, from: number, look: Look & { readonly height: number }): Line[] {
  const lines: Line[] = [];
  for (let index = from; index < agent.transcript.length; index++) {
    const item = itemAt(agent.transcript, index);
    const isAlone = item?.kind === "call" && item.result === undefined && groupKind(item) === undefined;
    lines.push(...(isAlone ? [[], ...openCallLines(item, look)] : linesAt(agent.transcript, index, { ...look, from })));
  }
  lines.push(...draftLines(agent, look));
  for (const prompt of agent.waitingPrompts) {
    if (prompt.source !== "user") continue;
    const text = prompt.parts.map(partText).join("\n");
    const [first = [], ...rest] = textLines(text, look.width - 12, { dim: true }).slice(0, 3);
    lines.push([], [span("  waiting: ", { dim: true }), ...first], ...indented(rest, "           "));
  }
  const most = Math.max(0, look.height);
  if (lines.length <= most) return lines;
  if (most < 2) return [];
  return [[span(`  … ${lines.length - most + 1} lines above`, { dim: true })], ...lines.slice(1 - most)];
}

const outputShown = 5;

export function openCallLines(call: CallItem, look: Look): Line[] {
  const title = titleLines(call, look);
  const text = visibleText(call.progress).replace(/\s+$/, "");
  // The tree shows the activity of agents.
  if (text === "" || call.name === "Agent") return title;
  // Limits a long output to its end, because it is drawn thirty times a second.
  const rows = textLines(text.slice(-4000), Math.max(10, look.width - 4), { dim: true });
  const [first = [], ...rest] = rows.slice(-outputShown);
  return [...title, [span(`  ${look.marks.result} `, { dim: true }), ...first], ...indented(rest, "    ")];
}

/** Fills any screen. The complete text is shown when the turn ends. */
const draftShown = 6000;

export function draftLines({ draft }: AgentView, look: Look): Line[] {
  if (!draft) return [];
  const { marks, width, agent } = look;
  if (draft.text.trim() !== "") {
    const mark = span(`${marks.answer} `, { role: "accent", agent });
    return [[], ...withHangingIndent(markdownLines(tailOf(draft.text), width - 2, marks), mark, span("  "))];
  }
  if (draft.thinking.trim() !== "") {
    const rows = textLines(visibleText(draft.thinking.slice(-1000)).trim(), width - 2, { dim: true, italic: true });
    return [[], ...withHangingIndent(rows.slice(-3), span(`${marks.thinking} `, { dim: true }), span("  "))];
  }
  return [];
}

/**
 * Returns the end of the text from the start of a line. Inside a code block it repeats the fence, so that code stays
 * code.
 */
function tailOf(text: string): string {
  if (text.length <= draftShown) return text;
  const cut = text.indexOf("\n", text.length - draftShown) + 1;
  const fences = text.slice(0, cut).match(/^ *(?:```|~~~).*$/gm) ?? [];
  const isInside = fences.length % 2 === 1;
  return `${isInside ? `${fences.at(-1)}\n` : ""}${text.slice(cut)}`;
}
