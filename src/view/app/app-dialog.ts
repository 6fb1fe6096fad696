import type { AppNotice, AppState, Dialog } from "./app-state.ts";
import { isElicitation } from "../questions/elicit-fields.ts";
import type { Question } from "../session/session-view.ts";

/**
 * Opens the dialog of a question if no other dialog is open and the user does not type. A settled question is replaced
 * by the next one. A form takes text, so it never opens by itself.
 */
export function withQuestion(state: AppState): AppState {
  const { dialog } = state;
  const questions = ownQuestions(state);
  if (dialog.kind === "permission" && questions.some(({ requestId }) => requestId === dialog.requestId)) return state;
  if (dialog.kind !== "none" && dialog.kind !== "permission") return state;
  const [first] = questions;
  if (!first && state.promptUse === "left") return withQuestion({ ...state, promptUse: "idle" });
  const isAnswering = dialog.kind === "permission" || state.promptUse === "idle";
  if (first && isAnswering && !isElicitation(first)) return openQuestion(state, first, "event");
  return dialog.kind === "none" ? state : { ...state, dialog: none };
}

/** Opens the oldest question at the user's request. */
export function focusQuestion(state: AppState): AppState {
  const question = waitingQuestion(state);
  return question ? openQuestion(state, question, "user") : state;
}

/** Closes the question without an answer and returns to the prompt. */
export const leaveQuestion = (state: AppState): AppState =>
  state.dialog.kind === "permission" ? { ...state, dialog: none, promptUse: "typing" } : state;

/** The oldest question that waits while no dialog is open. */
export const waitingQuestion = (state: AppState): Question | undefined =>
  state.dialog.kind === "none" ? ownQuestions(state)[0] : undefined;

/** Records whether the prompt has text. */
export function withPromptUse(state: AppState, text: string): AppState {
  const promptUse = text !== "" ? "typing" : waitingQuestion(state) && state.promptUse !== "idle" ? "left" : "idle";
  return promptUse === state.promptUse ? state : { ...state, promptUse };
}

/** The lead answers the questions of a member. */
const ownQuestions = ({ teamContext, session }: AppState): readonly Question[] =>
  teamContext?.isLeader === false ? [] : session.questions;

const openQuestion = (state: AppState, { requestId }: Question, openedBy: "user" | "event"): AppState => ({
  ...state,
  dialog: { kind: "permission", requestId, openedBy },
});

export function openDialog(state: AppState, dialog: Dialog): AppState {
  return state.dialog.kind === dialog.kind && dialog.kind !== "permission" ? state : { ...state, dialog };
}

/** Shows a question that arrived while the dialog was open. A question closes only with its answer. */
export function closeDialog(state: AppState): AppState {
  return state.dialog.kind === "none" ? state : withQuestion({ ...state, dialog: none });
}

export function addNotice(state: AppState, notice: Omit<AppNotice, "id">): AppState {
  const id = (state.notices.at(-1)?.id ?? 0) + 1;
  return { ...state, notices: [...state.notices, { ...notice, id }].slice(-maxNotices) };
}

const maxNotices = 20;

const none: Dialog = { kind: "none" };
