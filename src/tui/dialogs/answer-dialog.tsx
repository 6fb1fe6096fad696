import { type ReactNode, useLayoutEffect } from "react";
import { useFrontend, useKeys, useSize } from "../app-context.ts";
import type { KeyPress } from "../terminal/input-keys.ts";
import { actionOf } from "../key-table.ts";
import { editLine, emptyInput, inputText, type LineInput } from "../terminal/line-input.ts";
import { Panel, usePanelWidth } from "../panels/panel.tsx";
import { inputLines, useAcceptsKeys } from "./question-parts.ts";
import {
  type AnswerChoice,
  choiceLines,
  hint,
  hasLongAllowed,
  moreLine,
  shownAnswers,
  tooLong,
} from "./permission-lines.ts";
import { layoutQuestion } from "./question-layout.ts";
import { afterDraw, fitToPage, type Reading, scrollTo, unread } from "./request-reading.ts";
import { type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";
import { useLiveState } from "../use-live-state.ts";

export interface AnswerProps<C extends AnswerChoice> {
  /** The asking agent and the subject. */
  readonly heading: readonly Line[];
  /** The complete request. It must be read before a yes. */
  readonly request: readonly Line[];
  readonly choices: readonly C[];
  /** True for an answer that takes a second key. */
  isBroad(choice: C): boolean;
  /** Gives the answer. Resolves with false if it was refused. */
  answer(choice: C, words: string | undefined): Promise<boolean>;
  /** The keys are text for the prompt, so the question waits. */
  leave?(keys: readonly KeyPress[]): void;
  /** True while the dialog may handle keys. */
  isOpen(): boolean;
  readonly border: Style;
}

/** A longer request cannot be reviewed on a screen, so it can only be denied. */
const maxLines = 2_000;

interface Answering extends Reading {
  readonly selected: number;
  /** True while an answer is being sent. */
  readonly isAnswered: boolean;
  /** True after Enter on an answer that holds for long: Tab gives it. */
  readonly isUnconfirmed: boolean;
  /** The text that the user adds to a denial. */
  readonly words: LineInput | undefined;
  /** The keys that selected answers. They move to the prompt if other text follows them. */
  readonly typed: readonly KeyPress[];
}

const unanswered = { ...unread, selected: 0, isAnswered: false, isUnconfirmed: false, words: undefined, typed: [] };

/** Shows a request and its answers. The answers appear when the request was shown completely. */
export function AnswerDialog<C extends AnswerChoice>(props: AnswerProps<C>): ReactNode {
  const { theme } = useFrontend();
  const { rows } = useSize();
  const width = usePanelWidth();
  const state = useLiveState<Answering>({ ...unanswered, width });

  const { heading, choices: offered, isBroad } = props;
  const body = [...props.request, ...hasLongAllowed(offered, width)];
  const isTooLong = body.length > maxLines;
  const choices = offered.filter(({ isApproval: isYes }) => !(isTooLong && isYes));
  const answers = choices.flatMap((choice, index) =>
    choiceLines(choice, {
      isChosen: index === state.get().selected,
      width,
      marks: theme.marks,
    }).map((line) => ({ index, line })),
  );
  const layout = layoutQuestion({
    rows,
    askerLines: heading.length,
    body: body.length,
    answers: answers.length,
    canRead: !state.get().isSeen && !isTooLong,
  });
  const { isReading, isTight, height, answerLines: answerRoom } = layout;
  const armed = useAcceptsKeys(isReading);
  const isCut = !isReading && answers.length > answerRoom;
  const page = { width, height, count: body.length, isReading };
  const scroll = (to: number) => state.set((before) => scrollTo(before, page, to));

  /** Shows the next page, or the answers after the last page. */
  const scrollOn = () => {
    const { top, seenTo } = fitToPage(state.get(), page);
    if (seenTo < body.length) return scroll(top + Math.max(1, height - 1));
    state.set((before) => ({ ...before, isSeen: true, top: body.length }));
  };
  /** An answer that holds for long takes a second key, which no text for the prompt contains. */
  const sendAnswer = (choice: C | undefined, by?: "confirm") => {
    const { isSeen, isAnswered, words } = state.get();
    if (!choice || isAnswered || (choice.isApproval && !isSeen)) return;
    if (isBroad(choice) && by !== "confirm") return state.set((before) => ({ ...before, isUnconfirmed: true }));
    if (choice.takesComment && !words) return state.set((before) => ({ ...before, words: emptyInput, typed: [] }));
    state.set((before) => ({ ...before, isAnswered: true }));
    void props
      .answer(choice, words && inputText(words))
      .then((ok) => state.set((before) => (ok ? before : { ...before, isAnswered: false })));
  };
  const onTextKey = (words: LineInput, key: KeyPress) => {
    if (key.name === "escape") state.set((before) => ({ ...before, words: undefined }));
    else if (key.name === "enter") sendAnswer(choices[state.get().selected]);
    else state.set((before) => ({ ...before, words: editLine(words, key) }));
  };
  const select = (selected: number, typed: readonly KeyPress[] = []) =>
    state.set((before) => ({ ...before, selected, typed, isUnconfirmed: false }));
  const leave = (key: KeyPress) => props.leave?.([...state.get().typed, key]);
  const isText = ({ name, text }: KeyPress) =>
    props.leave !== undefined &&
    text !== "" &&
    (state.get().typed.length > 0 || actionOf("permission", name) !== "pageDown" || body.length <= height);
  const onKey = (key: KeyPress) => {
    const { name } = key;
    const { selected, top, typed, isUnconfirmed } = fitToPage(state.get(), page);
    const action = actionOf("permission", name);
    const pressed = isReading ? -1 : choices.findIndex((choice) => choice.key === name);
    if (isReading && (action === "choose" || action === "pageDown")) return scrollOn();
    if (pressed >= 0) return select(pressed, [...typed, key]);
    if (isText(key)) return leave(key);
    if (action === "up") select((selected + choices.length - 1) % choices.length);
    else if (action === "down") select((selected + 1) % choices.length);
    else if (action === "pageUp") scroll(top - Math.max(1, height - 1));
    else if (action === "pageDown") scroll(top + Math.max(1, height - 1));
    else if (action === "choose") sendAnswer(choices[selected]);
    else if (action === "confirm" && isUnconfirmed) sendAnswer(choices[selected], action);
    else if (action === "deny")
      sendAnswer(choices.find(({ isApproval: isYes, takesComment: asksWords }) => !isYes && !asksWords));
  };
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    // The question was left, and is not redrawn yet.
    if (!props.isOpen()) return false;
    const { words } = state.get();
    if (words) onTextKey(words, key);
    else if (armed.get()) onKey(key);
    else if (isText(key)) leave(key);
    else armed.wait();
    return true;
  });

  const { top, seenTo, words, isUnconfirmed } = fitToPage(state.get(), page);
  // The layout effect runs before the next key is handled.
  useLayoutEffect(() => {
    state.set((before) => afterDraw(before, page, top));
  }, [state, top, height, width, body.length, isReading]);

  const blank: Line[] = isTight ? [] : [[]];
  const lines: Line[] = [
    ...heading,
    ...blank,
    ...body.slice(top, top + height),
    ...(body.length > height
      ? wrapLine(moreLine({ top, height, count: body.length, isSeen: seenTo >= body.length }), width)
      : []),
    ...blank,
    ...(isTooLong ? wrapLine([span(tooLong(body.length), { role: "warning" })], width) : []),
    ...(isReading ? [] : shownAnswers(answers, { room: answerRoom, selected: state.get().selected })),
    ...(words ? inputLines(words, width) : []),
    ...dim(armed.get() ? hint({ isWriting: words !== undefined, isReading, isUnconfirmed, isCut }) : "…", width),
  ];
  return <Panel lines={lines} border={props.border} />;
}

const dim = (text: string, width: number): Line[] => wrapLine([span(text, { dim: true })], width);
