import { type AppState, askerOf, type Asker, type Question, visibleLine, requestText } from "../../view/index.ts";
import { keyFor } from "../key-table.ts";
import { type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import { cutTo } from "../terminal/terminal-width.ts";

/** Names the agent that asks, in its color, the subject, and the number of further questions. */
export function askerLine(
  asker: Asker,
  { question, waiting, width }: { readonly question: Question; readonly waiting: number; readonly width: number },
): Line[] {
  const name = visibleLine(asker.name);
  const askerName = asker.team === undefined ? name : `${name}@${visibleLine(asker.team)}`;
  const kind = asker.isLead || asker.agentType === undefined ? "" : ` (${visibleLine(asker.agentType)})`;
  return wrapLine(
    [
      span(askerName, { bold: true, ...(asker.color === undefined ? { role: "accent" } : { agent: asker.color }) }),
      span(`${kind} ${visibleLine(requestText(question))}`, { bold: true }),
      ...(waiting === 0 ? [] : [span(` · ${waiting} more waiting`, { role: "warning" })]),
    ],
    width,
  );
}

/** Tells that a question waits while the user types, in one line. */
export function waitingLine(state: AppState, question: Question, width: number): Line {
  const asker = askerOf(state, question);
  const more = state.session.questions.length - 1;
  const who = `${visibleLine(asker.name)} ${visibleLine(requestText(question))}`;
  const text = `${keyFor("app", "question")} to answer · ${who}${more === 0 ? "" : ` · ${more} more waiting`}`;
  return [span(cutTo(text, width), { role: "warning" })];
}
