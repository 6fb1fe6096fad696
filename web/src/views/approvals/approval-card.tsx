import { type KeyboardEvent, useState } from "react";
import { type PermissionAnswer, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import {
  type Choice,
  choicesOf,
  isBroad,
  isElicitation,
  requestText,
  withComment,
} from "../../../../src/view/index.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { formatAgo, formatClock } from "../../parts/format-amounts.ts";
import { useNow } from "../../parts/use-now.ts";
import type { Approval } from "../../state/approvals.ts";
import { useSend } from "../../state/use-send.ts";
import { ElicitForm } from "./elicit-form.tsx";
import { QuestionBody, reasonOf, tooLong } from "./question-body.tsx";

interface Props {
  readonly approval: Approval;
  /** True if the card has been in its place long enough for a press to be meant for it. */
  readonly isSettled: () => boolean;
}

/** One question: the asking agent, the exact request, the reason, and all answers. */
export function ApprovalCard({ approval, isSettled }: Props) {
  const { question, asker, session, readOnlyReason: obstacle } = approval;
  const send = useSend();
  const [isAnswered, setGiven] = useState(false);
  const [isEarly, setEarly] = useState(false);
  const now = useNow(5_000);
  const name = visibleLine(asker.name);
  const reason = reasonOf(question);
  // The focus follows a card that moves, but a pointer does not.
  const press = (answer: PermissionAnswer) => {
    setEarly(!isSettled());
    if (isSettled()) void sendAnswer(answer);
  };
  const sendAnswer = async (answer: PermissionAnswer) => {
    if (isAnswered) return;
    setGiven(true);
    const ack = await send(session, { type: "permission.reply", requestId: question.requestId, answer });
    if (!ack.ok) setGiven(false);
  };
  const [isAlwaysArmed, setAlwaysArmed] = useState(false);
  const choices = choicesOf(question, asker).filter(({ isApproval: isYes }) => !(isYes && tooLong(question)));
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || obstacle !== undefined) return;
    if (isElicitation(question) || (event.target as HTMLElement).matches("input, textarea, select")) return;
    const always = choices.find(isAlways);
    setAlwaysArmed(event.key === "a" && always !== undefined && !isAlwaysArmed);
    const answer = {
      y: choices.find(({ isApproval, takesComment }) => isApproval && !takesComment)?.answer,
      n: choices.find(({ isApproval }) => !isApproval)?.answer,
      a: isAlwaysArmed ? always?.answer : undefined,
    }[event.key];
    if (answer) void sendAnswer(answer);
  };
  const titleId = `approval-${question.requestId}`;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <article
      className="approval"
      data-color={asker.color}
      aria-labelledby={titleId}
      aria-busy={isAnswered}
      tabIndex={-1}
      onKeyDown={onKey}
    >
      <header>
        <h3 id={titleId}>
          <span className="approval-asker">{name}</span> {visibleLine(requestText(question))}
        </h3>
        <p className="soft">
          {asker.team !== undefined && `team ${visibleLine(asker.team)} · `}
          {asker.agentType !== "" && `${visibleLine(asker.agentType)} · `}
          {visibleLine(question.tool)} ·{" "}
          <time dateTime={question.at} title={question.at}>
            {formatClock(question.at)}, {formatAgo(question.at, now)}
          </time>
        </p>
      </header>
      {reason !== "" && <p className="approval-reason">{reason}</p>}
      {isElicitation(question) ? (
        <ElicitForm question={question} isDisabled={isAnswered || obstacle !== undefined} onAnswer={press} />
      ) : (
        <>
          <QuestionBody question={question} />
          {question.reason !== undefined && <p className="soft">Reason: {visibleText(question.reason)}</p>}
          {obstacle === undefined && (
            <Answers choices={choices} isTooLong={tooLong(question)} isAnswered={isAnswered} onAnswer={press} />
          )}
        </>
      )}
      {obstacle !== undefined && <p className="approval-obstacle">{obstacle}</p>}
      {isEarly && !isAnswered && (
        <p className="approval-obstacle" role="status">
          Not sent: the list had just moved. Press again to answer this question.
        </p>
      )}
      {isAlwaysArmed && !isAnswered && (
        <p className="approval-obstacle" role="status">
          Press a again to allow this always: {choices.find(isAlways)?.allows.join(", ")}
        </p>
      )}
      {isAnswered && (
        <p className="soft" role="status">
          Sent, waiting for the agent…
        </p>
      )}
    </article>
  );
}

const isAlways = ({ answer }: Choice): boolean => answer.behavior === "allow" && answer.scope === "always";

interface AnswersProps {
  readonly choices: readonly Choice[];
  readonly isTooLong: boolean;
  readonly isAnswered: boolean;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

function Answers({ choices, isTooLong, isAnswered, onAnswer }: AnswersProps) {
  const [words, setWords] = useState("");
  const yes = choices.filter(({ isApproval: isYes, takesComment }) => isYes && !takesComment);
  const ownWords = choices.find(({ isApproval: isYes, takesComment }) => isYes && takesComment);
  const refusal = choices.find(({ isApproval: isYes }) => !isYes)?.answer ?? { behavior: "deny" };
  const message = words.trim();
  return (
    <div className="answers">
      {isTooLong && (
        <p className="approval-obstacle">This is too long to review here. Deny it, and ask for smaller parts.</p>
      )}
      <ul className="answers-yes">
        {yes.map((choice, index) => (
          <li key={choice.label}>
            {isBroad(choice) && !isAnswered ? (
              <ConfirmButton
                label={choice.label.replace(/:$/, "")}
                confirm="Press again to allow this from now on"
                onConfirm={() => onAnswer(choice.answer)}
              />
            ) : (
              <button
                type="button"
                className={index === 0 ? "primary" : undefined}
                disabled={isAnswered}
                onClick={() => onAnswer(choice.answer)}
              >
                {choice.label.replace(/:$/, "")}
              </button>
            )}
            {choice.allows.length > 0 && (
              <ul className="answers-allows" aria-label="Allowed without asking from then on">
                {choice.allows.map((rule) => (
                  <li key={rule}>
                    <code>{rule}</code>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      <form
        className="answers-no"
        onSubmit={(event) => {
          event.preventDefault();
          if (message === "") onAnswer(refusal);
          else onAnswer(ownWords ? withComment(ownWords, message) : { behavior: "deny", message });
        }}
      >
        <input
          value={words}
          disabled={isAnswered}
          aria-label={ownWords ? "Your own answer" : "What to do instead"}
          placeholder={ownWords ? "Your own answer" : "What to do instead (optional)"}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <button type="submit" className={ownWords ? undefined : "danger"} disabled={isAnswered}>
          {ownWords ? (message === "" ? "No answer" : "Answer") : message === "" ? "Deny" : "Deny with comment"}
        </button>
      </form>
    </div>
  );
}
