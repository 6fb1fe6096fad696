import { type ReactNode, useState } from "react";
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
import { inputLine, type QuestionProps, useArmed } from "./question-parts.ts";
import { scrolled } from "./scroll-window.ts";
import { breakLine, hang, type Line, span, wrapLine } from "./terminal-lines.ts";

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

function QuestionDialog({ question, asker, waiting }: QuestionProps): ReactNode {
  const { send } = useFace();
  const { rows } = useSize();
  const width = usePanelWidth();
  const isArmed = useArmed();
  const [selected, setSelected] = useState(0);
  const [place, setPlace] = useState({ top: 0, seenTo: 0, width });
  const [words, setWords] = useState<LineInput>();

  const body = questionLines(question, width);
  const isTooLong = body.length > mostLines;
  const choices = choicesOf(question, asker).filter(({ isYes }) => !(isTooLong && isYes));
  const answers = choices.flatMap((choice, index) =>
    choiceLines(choice, { number: index + 1, isChosen: index === selected, width }),
  );
  const height = Math.min(body.length, Math.max(minimumBody, rows - answers.length - chrome));
  const top = scrolled({ top: place.top, height, count: body.length }, place.top);
  // Another width breaks lines elsewhere: what was seen in part begins again.
  const seenTo = Math.max(
    place.width === width || place.seenTo >= body.length ? place.seenTo : 0,
    top === 0 ? height : 0,
  );
  const isSeen = seenTo >= body.length;

  const scrollTo = (to: number) => {
    const next = scrolled({ top, height, count: body.length }, to);
    setPlace({ top: next, seenTo: next <= seenTo ? Math.max(seenTo, next + height) : seenTo, width });
  };
  const give = (choice: Choice | undefined) => {
    if (!choice) return;
    if (choice.isYes && !isSeen) return scrollTo(Math.max(0, seenTo - 1));
    if (choice.asksWords && words === undefined) return setWords(emptyInput);
    const answer = words ? withWords(choice, inputText(words)) : choice.answer;
    void send({ type: "permission.reply", requestId: question.requestId, answer });
  };
  const onWords = (key: KeyPress) => {
    if (key.name === "escape") setWords(undefined);
    else if (key.name === "enter") give(choices[selected]);
    else setWords((input) => input && editLine(input, key));
  };
  const onKey = (key: KeyPress) => {
    const action = actionOf("permission", key.name);
    const number = /^[1-9]$/.test(key.name) ? Number(key.name) - 1 : undefined;
    if (number !== undefined && number < choices.length) {
      setSelected(number);
      give(choices[number]);
    } else if (action === "up") setSelected((selected + choices.length - 1) % choices.length);
    else if (action === "down") setSelected((selected + 1) % choices.length);
    else if (action === "pageUp") scrollTo(top - Math.max(1, height - 1));
    else if (action === "pageDown") scrollTo(top + Math.max(1, height - 1));
    else if (action === "choose") give(choices[selected]);
    else if (action === "deny") give(choices.find(({ isYes, asksWords }) => !isYes && !asksWords));
  };
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    if (isArmed && words) onWords(key);
    else if (isArmed) onKey(key);
    return true;
  });

  const lines: Line[] = [
    ...askerLine(asker, { question, waiting, width }),
    [],
    ...body.slice(top, top + height),
    ...(body.length > height ? [moreLine({ top, height, count: body.length, isSeen })] : []),
    [],
    ...(isTooLong ? wrapLine([span(tooLong(body.length), { role: "warning" })], width) : []),
    ...answers,
    ...(words ? [inputLine(words)] : []),
    ...wrapLine([span(isArmed ? hint(words !== undefined, isSeen) : "…", { dim: true })], width),
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
  return isSeen ? `${choose}, ${keyFor("permission", "deny")} is no` : `Enter shows the rest first, Esc is no`;
}
