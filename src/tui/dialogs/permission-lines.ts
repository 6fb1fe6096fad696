import type { Choice } from "../../view/index.ts";
import { keyFor } from "../key-table.ts";
import { topFor } from "../transcript/scroll-window.ts";
import { breakLine, withHangingIndent, type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import { widthOf } from "../terminal/terminal-width.ts";
import type { Marks } from "../theme.ts";

export interface ChoiceLook {
  readonly number: number;
  readonly isChosen: boolean;
  readonly width: number;
  readonly marks: Pick<Marks, "prompt" | "bullet">;
}

/** An answer, and below it what it would allow. */
export function choiceLines(choice: Choice, { number, isChosen, width, marks }: ChoiceLook): Line[] {
  const style = isChosen ? ({ role: "accent", bold: true } as const) : undefined;
  const mark = span(`${isChosen ? marks.prompt : " "} ${number}. `, style);
  const isLong = allowedLines(choice, width).length > maxAllowed;
  return [
    ...withHangingIndent(
      wrapLine([span(isLong ? `${choice.label} (see above)` : choice.label, style)], width - 5),
      mark,
    ),
    ...(isLong ? [] : allowedLines(choice, width, `     ${marks.bullet} `)),
  ];
}

/** Below an answer there is room for so many lines; what takes more is read with what is asked about. */
const maxAllowed = 3;

/** Each rule whole, with a sign before it. */
const allowedLines = ({ allows }: Choice, width: number, sign = "     - "): Line[] =>
  allows.flatMap((rule) =>
    withHangingIndent(breakLine([span(rule, { role: "code" })], width - widthOf(sign)), span(sign)),
  );

/** What answers would allow, where that is too long to stand below them. */
export function hasLongAllowed(choices: readonly Choice[], width: number): Line[] {
  const long = choices.filter((choice) => allowedLines(choice, width).length > maxAllowed);
  const shown = new Set<string>();
  return long.flatMap((choice) => {
    const text = choice.allows.join("\n");
    if (shown.has(text)) return [];
    shown.add(text);
    const heading: Line = [span("Without asking from then on:", { bold: true })];
    return [[], ...wrapLine(heading, width), ...allowedLines(choice, width, "  ")];
  });
}

export interface VisiblePart {
  readonly top: number;
  readonly height: number;
  readonly count: number;
  readonly isSeen: boolean;
}

/** Which part of it is on the screen. */
export function moreLine({ top, height, count, isSeen }: VisiblePart): Line {
  const part = `lines ${top + 1}-${top + height} of ${count}`;
  const keys = `${keyFor("permission", "pageDown")} on, ${keyFor("permission", "pageUp")} back`;
  return isSeen
    ? [span(`${part} · ${keys}`, { dim: true })]
    : [span("not all seen", { role: "warning" }), span(` · ${part}`, { dim: true })];
}

export const tooLong = (count: number): string =>
  `It is too long to be judged here (${count} lines). Say no, and ask for it in smaller parts or in a file.`;

/** The part of the answers with the chosen one in it, as far as there is room. */
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
  /** Not all answers are on the screen. */
  readonly isCut: boolean;
}

export function hint({ isWriting, isReading, isCut }: HintOptions): string {
  if (isReading) return "Enter or Space on, PgUp back, Esc is no; answers come at its end";
  if (isWriting) return "Enter sends it, Esc goes back";
  if (isCut) return "↑ ↓ more, Enter gives it, Esc is no";
  return `${keyFor("permission", "choose")} or a number answers, ${keyFor("permission", "deny")} is no`;
}
