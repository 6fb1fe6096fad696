import type { Question } from "../session/session-view.ts";

/** The parts of a question's text that go beyond the displayed request. */
export interface QuestionText {
  /** The comment of a hook or a tool on the request. */
  readonly description: string;
  /** Where a command runs after a yes. */
  readonly place: string;
}

export function questionText({ question, tool }: Pick<Question, "question" | "tool">): QuestionText {
  const parts = tool === "AskUserQuestion" ? null : /^(.*?)\s*Allow .*\?(?: (It runs [^?]*))?$/s.exec(question);
  return { description: parts ? (parts[1] ?? "") : question, place: parts?.[2] ?? "" };
}
