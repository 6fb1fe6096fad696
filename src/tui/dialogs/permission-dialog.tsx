import { type ReactNode, useMemo } from "react";
import type { PermissionAnswer } from "../../protocol/index.ts";
import {
  acceptEditsChoice,
  type Asker,
  askerOf,
  type Choice,
  choicesOf,
  isBroad,
  isElicitation,
  currentQuestion,
  leaveQuestion,
  type Question,
  waitingQuestionCount,
  withComment,
  withRelativePaths,
} from "../../view/index.ts";
import { type Frontend, useAppState, useFrontend } from "../app-context.ts";
import { AnswerDialog } from "./answer-dialog.tsx";
import { askerLine } from "./asker-line.ts";
import { ElicitDialog } from "./elicit-dialog.tsx";
import { usePanelWidth } from "../panels/panel.tsx";
import { questionLines } from "./permission-body.ts";
import type { QuestionProps } from "./question-parts.ts";

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

function QuestionDialog({ question, asker, waiting }: QuestionProps): ReactNode {
  const { send, store, typeInPrompt } = useFrontend();
  const width = usePanelWidth();
  const cwd = useAppState(({ session }) => session.cwd);
  const choices = useMemo(
    () => allChoices(question, asker).map((choice) => withRelativePaths(choice, cwd)),
    [question, asker.name, asker.team, asker.isLead, cwd],
  );
  const request = useMemo(() => questionLines(question, { width, cwd }), [question, width, cwd]);
  return (
    <AnswerDialog
      heading={askerLine(asker, { question, waiting, width })}
      request={request}
      choices={choices}
      isBroad={isBroad}
      answer={(choice, words) => {
        const answer = words === undefined ? choice.answer : withComment(choice, words);
        return reply(send, { question, asker, choice, answer });
      }}
      leave={(keys) => {
        store.setState(leaveQuestion);
        for (const each of keys) typeInPrompt(each);
      }}
      isOpen={() => store.getState().dialog.kind === "permission"}
      border={asker.color === undefined ? { role: "warning" } : { agent: asker.color }}
    />
  );
}

const allChoices = (question: Question, asker: Asker): readonly Choice[] => [
  ...choicesOf(question, asker),
  ...acceptEditsChoice(question, asker),
];

interface Reply {
  readonly question: Question;
  readonly asker: Asker;
  readonly choice: Choice;
  readonly answer: PermissionAnswer;
}

/** Sends the answer, and the mode that comes with it. Returns false if the answer was refused. */
async function reply(send: Frontend["send"], { question, asker, choice, answer }: Reply): Promise<boolean> {
  const { ok } = await send({ type: "permission.reply", requestId: question.requestId, answer });
  const isForAll = acceptEditsChoice(question, asker).some(({ key }) => key === choice.key);
  if (ok && isForAll) await send({ type: "set", permissionMode: "acceptEdits" });
  return ok;
}
