import { type ReactNode, useEffect } from "react";
import { askerOf, openQuestion, waitingQuestions } from "../view/index.ts";
import { useAppState, useFace, useKeys, useSize } from "./app-context.ts";
import { askerLine } from "./asker-line.ts";
import { ElicitDialog, isElicitation } from "./elicit-dialog.tsx";
import type { KeyPress } from "./input-keys.ts";
import { actionOf, keyFor } from "./key-table.ts";
import { editLine, emptyInput, inputText, type LineInput } from "./line-input.ts";
import { Panel, usePanelWidth } from "./panel.tsx";
import { type Choice, choicesOf, withWords } from "./permission-answers.ts";
import { questionLines } from "./permission-body.ts";
import { inputLines, type QuestionProps, useArmed } from "./question-parts.ts";
import { scrolled } from "./scroll-window.ts";
import { breakLine, hang, type Line, span, wrapLine } from "./terminal-lines.ts";
import { useLiveState } from "./use-live-state.ts";

/** The oldest question that waits, and the answers to it. */
export function PermissionDialog(): ReactNode {
  const question = useAppState(openQuestion);
  const state = useAppState((each) => each);
  if (!question) return null;
  const asker = askerOf(state, question);
  const waiting = waitingQuestions(state);
  const Shown = isElicitation(question) ? ElicitDialog : QuestionDialog;
  return <Shown key={question.requestId} question={question} asker={asker} waiting={waiting} />;
}

/** Nobody judges more than that on a screen: it can only be refused. */
const mostLines = 2_000;

interface Answering {
  readonly selected: number;
  readonly top: number;
  /** How many lines have been on the screen, from the first on. */
  readonly seenTo: number;
  /** The width in which they were. */
  readonly width: number;
  /** An answer is on its way. */
  readonly isGiven: boolean;
  /** Written to go with a no. */
  readonly words: LineInput | undefined;
}

function QuestionDialog({ question, asker, waiting }: QuestionProps): ReactNode {
  const { send } = useFace();
  const { rows } = useSize();
  const width = usePanelWidth();
  const armed = useArmed();
  const state = useLiveState<Answering>({ selected: 0, top: 0, seenTo: 0, width, isGiven: false, words: undefined });

  const body = questionLines(question, width);
  const isTooLong = body.length > mostLines;
  const choices = choicesOf(question, asker).filter(({ isYes }) => !(isTooLong && isYes));
  const answers = choices.flatMap((choice, index) =>
    choiceLines(choice, { number: index + 1, isChosen: index === state.get().selected, width }),
  );
  const height = Math.min(body.length, Math.max(minimumBody, rows - answers.length - chrome));
  const placed = (): Answering & { readonly isSeen: boolean } => {
    const now = state.get();
    // Another width breaks lines elsewhere: what was seen in part begins again.
    const seenTo = now.width === width || now.seenTo >= body.length ? now.seenTo : 0;
    const top = scrolled({ height, count: body.length }, now.top);
    return { ...now, top, seenTo, isSeen: seenTo >= body.length };
  };
  const scrollTo = (to: number) =>
    state.set((before) => ({ ...before, top: scrolled({ height, count: body.length }, to) }));

  const give = (choice: Choice | undefined) => {
    const { isSeen, seenTo, words } = placed();
    if (!choice || state.get().isGiven) return;
    if (choice.isYes && !isSeen) return scrollTo(seenTo - 1);
    if (choice.asksWords && !words) return state.set((before) => ({ ...before, words: emptyInput }));
    const answer = words ? withWords(choice, inputText(words)) : choice.answer;
    state.set((before) => ({ ...before, isGiven: true }));
    void send({ type: "permission.reply", requestId: question.requestId, answer }).then(({ ok }) =>
      state.set((before) => (ok ? before : { ...before, isGiven: false })),
    );
  };
  const onWords = (words: LineInput, key: KeyPress) => {
    if (key.name === "escape") state.set((before) => ({ ...before, words: undefined }));
    else if (key.name === "enter") give(choices[state.get().selected]);
    else state.set((before) => ({ ...before, words: editLine(words, key) }));
  };
  const select = (selected: number) => state.set((before) => ({ ...before, selected }));
  const onKey = ({ name }: KeyPress) => {
    const { selected, top } = placed();
    const action = actionOf("permission", name);
    const number = /^[1-9]$/.test(name) ? Number(name) - 1 : undefined;
    if (number !== undefined && number < choices.length) {
      select(number);
      give(choices[number]);
    } else if (action === "up") select((selected + choices.length - 1) % choices.length);
    else if (action === "down") select((selected + 1) % choices.length);
    else if (action === "pageUp") scrollTo(top - Math.max(1, height - 1));
    else if (action === "pageDown") scrollTo(top + Math.max(1, height - 1));
    else if (action === "choose") give(choices[selected]);
    else if (action === "deny") give(choices.find(({ isYes, asksWords }) => !isYes && !asksWords));
  };
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    const { words } = state.get();
    if (armed.get() && words) onWords(words, key);
    else if (armed.get()) onKey(key);
    return true;
  });

  const { top, isSeen, words } = placed();
  // Only what was drawn has been seen, however fast keys come.
  useEffect(() => {
    const { seenTo } = placed();
    if (top <= seenTo) state.set((before) => ({ ...before, seenTo: Math.max(seenTo, top + height), width }));
  }, [state, top, height, width, body.length]);
  const lines: Line[] = [
    ...askerLine(asker, { question, waiting, width }),
    [],
    ...body.slice(top, top + height),
    ...(body.length > height ? [moreLine({ top, height, count: body.length, isSeen })] : []),
    [],
    ...(isTooLong ? wrapLine([span(tooLong(body.length), { role: "warning" })], width) : []),
    ...answers,
    ...(words ? inputLines(words, width) : []),
    ...wrapLine([span(armed.get() ? hint(words !== undefined, isSeen) : "…", { dim: true })], width),
  ];
  return <Panel lines={lines} border={asker.color === undefined ? { role: "warning" } : { agent: asker.color }} />;
}

/** Rows that are not the body: frame, who asks, blanks, hints, and what stands below the dialog. */
const chrome = 12;
const minimumBody = 3;

function choiceLines(
  { label, allows }: Choice,
  { number, isChosen, width }: { readonly number: number; readonly isChosen: boolean; readonly width: number },
): Line[] {
  const style = isChosen ? ({ role: "accent", bold: true } as const) : undefined;
  const mark = span(`${isChosen ? "❯" : " "} ${number}. `, style);
  return [
    ...hang(wrapLine([span(label, style)], width - 5), mark),
    ...allows.flatMap((rule) =>
      hang(breakLine([span(rule, { role: "code" })], width - 7), span("     • "), span("       ")),
    ),
  ];
}

function moreLine({
  top,
  height,
  count,
  isSeen,
}: {
  top: number;
  height: number;
  count: number;
  isSeen: boolean;
}): Line {
  const part = `lines ${top + 1}-${top + height} of ${count}`;
  const keys = `${keyFor("permission", "pageDown")} on, ${keyFor("permission", "pageUp")} back`;
  return [span(`${part} · ${keys}`, { dim: true }), ...(isSeen ? [] : [span(" · not all seen", { role: "warning" })])];
}

const tooLong = (count: number) =>
  `It is too long to be judged here (${count} lines). Say no, and ask for it in smaller parts or in a file.`;

function hint(isWriting: boolean, isSeen: boolean): string {
  if (isWriting) return "Enter sends it, Esc goes back";
  const choose = `${keyFor("permission", "choose")} or a number answers`;
  return isSeen ? `${choose}, ${keyFor("permission", "deny")} is no` : "Enter shows the rest first, Esc is no";
}
