import type { Envelope, Event, RequestId } from "../../protocol/index.ts";
import type { Question } from "../session/session-view.ts";

/** A question that has its answer. */
export interface AnsweredQuestion {
  readonly question: Question;
  readonly answer: Omit<Extract<Event, { type: "permission.settled" }>, "type">;
  readonly at: string;
}

/** The last answers of a session, oldest first, and the questions that still wait. */
export interface AnswerHistory {
  readonly open: ReadonlyMap<RequestId, Question>;
  readonly answered: readonly AnsweredQuestion[];
}

export const emptyAnswerHistory: AnswerHistory = { open: new Map(), answered: [] };

/** The number of answers that are kept. */
const most = 50;

export function reduceAnswerHistory(history: AnswerHistory, { event, agent, at }: Envelope): AnswerHistory {
  if (event.type === "permission.asked") {
    const { type: _, ...question } = event;
    return { ...history, open: new Map(history.open).set(event.requestId, { ...question, agent, at }) };
  }
  if (event.type !== "permission.settled") return history;
  const { type: _, ...answer } = event;
  const question = history.open.get(event.requestId);
  if (!question) return history;
  const open = new Map(history.open);
  open.delete(event.requestId);
  return { open, answered: [...history.answered, { question, answer, at }].slice(-most) };
}
