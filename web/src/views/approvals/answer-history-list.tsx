import { type SessionId, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { type AnsweredQuestion, emptyView, requestText } from "../../../../src/view/index.ts";
import { formatClock } from "../../parts/format-amounts.ts";
import { askerOf } from "../../state/approvals.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { emptySessionFolds } from "../../state/session-folds.ts";

/** The number of answers in the list. */
const most = 20;

/** The last answers of a session, newest first. */
export function AnswerHistoryList({ session }: { session: SessionId }) {
  const { answered } = useDashboard((state) => (state.folds.get(session) ?? emptySessionFolds).answers);
  const view = useDashboard((state) => state.views.get(session) ?? emptyView);
  if (answered.length === 0) return null;
  return (
    <section className="answered" aria-labelledby="answered-title">
      <h3 id="answered-title">Last answers</h3>
      <ol>
        {answered
          .slice(-most)
          .reverse()
          .map(({ question, answer, at }) => (
            <li key={question.requestId} data-behavior={answer.behavior}>
              <time dateTime={at}>{formatClock(at)}</time>
              <span className="answered-answer">{answerText({ answer })}</span>
              <span>
                {visibleLine(askerOf(view, question).name)} {visibleLine(requestText(question))}
                {detailOf(question) !== "" && <code>{detailOf(question)}</code>}
                {answer.message !== undefined && <q>{visibleText(answer.message)}</q>}
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}

/** `allowed once by you`, `denied by a rule`. */
export function answerText({ answer: { behavior, scope, by } }: Pick<AnsweredQuestion, "answer">): string {
  const what =
    behavior === "deny"
      ? "denied"
      : { once: "allowed once", session: "allowed for the session", always: "always allowed" }[scope ?? "once"];
  const who = { user: "by you", lead: "by the lead", policy: "by a rule", interrupt: "because it was interrupted" }[by];
  return `${what} ${who}`;
}

/** The command or the file of the request, in one line. */
function detailOf({ input }: AnsweredQuestion["question"]): string {
  if (typeof input !== "object" || input === null) return "";
  const value = "command" in input ? input.command : "file_path" in input ? input.file_path : undefined;
  return typeof value === "string" ? visibleLine(value).slice(0, 200) : "";
}
