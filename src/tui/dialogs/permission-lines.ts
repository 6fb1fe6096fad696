import type { Choice } from "../../view/index.ts";
import { keyFor } from "../key-table.ts";
import { topFor } from "../transcript/scroll-window.ts";
import { breakLine, withHangingIndent, type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import { widthOf } from "../terminal/terminal-width.ts";
import type { Marks } from "../theme.ts";

/** An answer as it is drawn. */
export type AnswerChoice = Pick<Choice, "key" | "label" | "allows" | "isApproval" | "takesComment">;

export interface ChoiceLook {
  readonly isChosen: boolean;
  readonly width: number;
  readonly marks: Pick<Marks, "prompt" | "bullet">;
}

/** Shows an answer and the rules that it would add: on the same line if they fit. */
export function choiceLines(choice: AnswerChoice, { isChosen, width, marks }: ChoiceLook): Line[] {
  const style = isChosen ? ({ role: "accent", bold: true } as const) : undefined;
  const mark = span(`${isChosen ? marks.prompt : " "} ${choice.key}. `, style);
  const isLong = allowedLines(choice, width).length > maxAllowed;
  const [only = "", ...others] = choice.allows;
  if (only !== "" && others.length === 0 && widthOf(choice.label) + 1 + widthOf(only) <= width - 5)
    return [[mark, span(`${choice.label} `, style), span(only, { role: "code" })]];
  return [
    ...withHangingIndent(
      wrapLine([span(isLong ? `${choice.label} (see above)` : choice.label, style)], width - 5),
      mark,
    ),
    ...(isLong ? [] : allowedLines(choice, width, `     ${marks.bullet} `)),
  ];
}

/** Maximum lines of rules below an answer. Longer lists are shown with the request. */
const maxAllowed = 3;

/** Shows each rule completely, after a sign. */
const allowedLines = ({ allows }: AnswerChoice, width: number, sign = "     - "): Line[] =>
  allows.flatMap((rule) =>
    withHangingIndent(breakLine([span(rule, { role: "code" })], width - widthOf(sign)), span(sign)),
  );

/** Returns the rules that are too long to show below their answers. */
export function hasLongAllowed(choices: readonly AnswerChoice[], width: number): Line[] {
  const long = choices.filter((choice) => allowedLines(choice, width).length > maxAllowed);
  const shown = new Set<string>();
  return long.flatMap((choice) => {
    const text = choice.allows.join("\n");
    if (shown.has(text)) return [];
    shown.add(text);
    const heading: Line = [span("Always allowed from then on:", { bold: true })];
    return [[], ...wrapLine(heading, width), ...allowedLines(choice, width, "  ")];
  });
}

export interface VisiblePart {
  readonly top: number;
  readonly height: number;
  readonly count: number;
  readonly isSeen: boolean;
}

/** Tells which part of the request is visible. */
export function moreLine({ top, height, count, isSeen }: VisiblePart): Line {
  const part = `lines ${top + 1}-${top + height} of ${count}`;
  const keys = `${keyFor("permission", "pageDown")} forward, ${keyFor("permission", "pageUp")} back`;
  return isSeen
    ? [span(`${part} · ${keys}`, { dim: true })]
    : [span("not fully read", { role: "warning" }), span(` · ${part}`, { dim: true })];
}

export const tooLong = (count: number): string =>
  `This request is too long to review here (${count} lines). Deny it, and ask for smaller parts or a file.`;

/** Returns the visible part of the answers, including the selected one. */
export function shownAnswers(
  answers: readonly { readonly index: number; readonly line: Line }[],
  { room, selected }: { readonly room: number; readonly selected: number },
): Line[] {
  const first = answers.findIndex(({ index }) => index === selected);
  const last = answers.findLastIndex(({ index }) => index === selected);
  const window = { top: 0, height: Math.min(room, answers.length), count: answers.length };
  const top = topFor(first, { ...window, top: topFor(last, window) });
  return answers.slice(top, top + window.height).map(({ line }) => line);
}

export interface HintOptions {
  readonly isWriting: boolean;
  readonly isReading: boolean;
  /** True if the answer holds for long and is not confirmed. */
  readonly isUnconfirmed: boolean;
  /** True if some answers are not visible. */
  readonly isCut: boolean;
}

/** One line in a terminal of 40 columns, except while reading. */
export function hint({ isWriting, isReading, isUnconfirmed, isCut }: HintOptions): string {
  if (isReading) return "Enter or Space next page, PgUp back, Esc to deny; answers at the end";
  if (isWriting) return "Enter to send, Esc to go back";
  if (isUnconfirmed) return `${keyFor("permission", "confirm")} to allow this from now on`;
  if (isCut) return "↑ ↓ more, Enter to send, Esc to deny";
  return `Key and ${keyFor("permission", "choose")} to answer, ${keyFor("permission", "deny")} to deny`;
}
