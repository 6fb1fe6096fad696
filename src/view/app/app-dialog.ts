import type { AppNotice, AppState, Dialog } from "./app-state.ts";

/** Opens the dialog of a question if no other dialog is open. A settled question is replaced by the next one. */
export function withQuestion(state: AppState): AppState {
  const { dialog } = state;
  // The lead answers the questions of a member.
  const questions = state.teamContext?.isLeader === false ? [] : state.session.questions;
  if (dialog.kind === "permission" && questions.some(({ requestId }) => requestId === dialog.requestId)) return state;
  if (dialog.kind !== "none" && dialog.kind !== "permission") return state;
  const [first] = questions;
  if (first) return { ...state, dialog: { kind: "permission", requestId: first.requestId } };
  return dialog.kind === "none" ? state : { ...state, dialog: none };
}

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
