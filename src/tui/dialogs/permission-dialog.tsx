import { type ReactNode, useLayoutEffect, useMemo } from "react";
import {
  askerOf,
  type Choice,
  choicesOf,
  isElicitation,
  currentQuestion,
  waitingQuestionCount,
  withComment,
} from "../../view/index.ts";
import { useAppState, useFrontend, useKeys, useSize } from "../app-context.ts";
import { askerLine } from "./asker-line.ts";
import { ElicitDialog } from "./elicit-dialog.tsx";
import type { KeyPress } from "../terminal/input-keys.ts";
import { actionOf } from "../key-table.ts";
import { editLine, emptyInput, inputText, type LineInput } from "../terminal/line-input.ts";
import { isShortScreen } from "../panels/live-layout.ts";
import { Panel, usePanelWidth } from "../panels/panel.tsx";
import { questionLines } from "./permission-body.ts";
import { inputLines, type QuestionProps, useAcceptsKeys } from "./question-parts.ts";
import { choiceLines, hint, hasLongAllowed, moreLine, shownAnswers, tooLong } from "./permission-lines.ts";
import { layoutQuestion } from "./question-layout.ts";
import { afterDraw, fitToPage, type Reading, scrollTo, unread } from "./request-reading.ts";
import { type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import { useLiveState } from "../use-live-state.ts";

/** Shows the oldest open question and its answers. */
export function PermissionDialog(): ReactNode {
  const question = useAppState(currentQuestion);
  const state = useAppState((each) => each);
  if (!question) return null;
  const asker = askerOf(state, question);
  const waiting = waitingQuestionCount(state);
  const Body = isElicitation(question) ? ElicitDialog : QuestionDialog;
  return <Body key={question.requestId} question={question} asker={asker} waiting={waiting} />;
}

/** A longer request cannot be reviewed on a screen, so it can only be denied. */
const maxLines = 2_000;

interface Answering extends Reading {
  readonly selected: number;
  /** True while an answer is being sent. */
  readonly isAnswered: boolean;
  /** The text that the user adds to a denial. */
  readonly words: LineInput | undefined;
}

function QuestionDialog({ question, asker, waiting }: QuestionProps): ReactNode {
  const { send, theme } = useFrontend();
  const { rows } = useSize();
  const width = usePanelWidth();
  const state = useLiveState<Answering>({ ...unread, width, selected: 0, isAnswered: false, words: undefined });
  const armed = useAcceptsKeys(state.get().isSeen);

  const offered = useMemo(() => choicesOf(question, asker), [question, asker.name, asker.team]);
  const body = useMemo(
    () => [...questionLines(question, width), ...hasLongAllowed(offered, width)],
    [question, offered, width],
  );
  const isTooLong = body.length > maxLines;
  const choices = offered.filter(({ isApproval: isYes }) => !(isTooLong && isYes));
  const answers = choices.flatMap((choice, index) =>
    choiceLines(choice, {
      number: index + 1,
      isChosen: index === state.get().selected,
      width,
      marks: theme.marks,
    }).map((line) => ({ index, line })),
  );
  const askerLines = askerLine(asker, { question, waiting, width });
  const {
    isReading,
    height,
    answerLines: answerRoom,
  } = layoutQuestion({
    rows,
    askerLines: askerLines.length,
    body: body.length,
    answers: answers.length,
    canRead: !state.get().isSeen && !isTooLong,
  });
  const isCut = !isReading && answers.length > answerRoom;
  const page = { width, height, count: body.length, isReading };
  const scroll = (to: number) => state.set((before) => scrollTo(before, page, to));

  /** Shows the next page, or the answers after the last page. */
  const scrollOn = () => {
    const { top, seenTo } = fitToPage(state.get(), page);
    if (seenTo < body.length) return scroll(top + Math.max(1, height - 1));
    state.set((before) => ({ ...before, isSeen: true, top: body.length }));
  };
  const sendAnswer = (choice: Choice | undefined) => {
    const { isSeen, isAnswered, words } = state.get();
    if (!choice || isAnswered || (choice.isApproval && !isSeen)) return;
    if (choice.takesComment && !words) return state.set((before) => ({ ...before, words: emptyInput }));
    const answer = words ? withComment(choice, inputText(words)) : choice.answer;
    state.set((before) => ({ ...before, isAnswered: true }));
    void send({ type: "permission.reply", requestId: question.requestId, answer }).then(({ ok }) =>
      state.set((before) => (ok ? before : { ...before, isAnswered: false })),
    );
  };
  const onTextKey = (words: LineInput, key: KeyPress) => {
    if (key.name === "escape") state.set((before) => ({ ...before, words: undefined }));
    else if (key.name === "enter") sendAnswer(choices[state.get().selected]);
    else state.set((before) => ({ ...before, words: editLine(words, key) }));
  };
  const select = (selected: number) => state.set((before) => ({ ...before, selected }));
  const onKey = ({ name }: KeyPress) => {
    const { selected, top } = fitToPage(state.get(), page);
    const action = actionOf("permission", name);
    if (isReading && (action === "choose" || action === "pageDown")) return scrollOn();
    if (isReading && /^[1-9]$/.test(name)) return;
    const number = /^[1-9]$/.test(name) ? Number(name) - 1 : undefined;
    if (number !== undefined && number < choices.length) {
      select(number);
      // The rules that an answer would add must be visible before it counts.
      if (!isCut) sendAnswer(choices[number]);
    } else if (action === "up") select((selected + choices.length - 1) % choices.length);
    else if (action === "down") select((selected + 1) % choices.length);
    else if (action === "pageUp") scroll(top - Math.max(1, height - 1));
    else if (action === "pageDown") scroll(top + Math.max(1, height - 1));
    else if (action === "choose") sendAnswer(choices[selected]);
    else if (action === "deny")
      sendAnswer(choices.find(({ isApproval: isYes, takesComment: asksWords }) => !isYes && !asksWords));
  };
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    const { words } = state.get();
    if (armed.get() && words) onTextKey(words, key);
    else if (armed.get()) onKey(key);
    return true;
  });

  const { top, seenTo, words } = fitToPage(state.get(), page);
  // The layout effect runs before the next key is handled.
  useLayoutEffect(() => {
    state.set((before) => afterDraw(before, page, top));
  }, [state, top, height, width, body.length, isReading]);

  const blank: Line[] = isShortScreen(rows) ? [] : [[]];
  const lines: Line[] = [
    ...askerLines,
    ...blank,
    ...body.slice(top, top + height),
    ...(body.length > height
      ? wrapLine(moreLine({ top, height, count: body.length, isSeen: seenTo >= body.length }), width)
      : []),
    ...blank,
    ...(isTooLong ? wrapLine([span(tooLong(body.length), { role: "warning" })], width) : []),
    ...(isReading ? [] : shownAnswers(answers, { room: answerRoom, selected: state.get().selected })),
    ...(words ? inputLines(words, width) : []),
    ...wrapLine(
      [span(armed.get() ? hint({ isWriting: words !== undefined, isReading, isCut }) : "…", { dim: true })],
      width,
    ),
  ];
  return <Panel lines={lines} border={asker.color === undefined ? { role: "warning" } : { agent: asker.color }} />;
}
