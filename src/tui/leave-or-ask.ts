import { type AppState, isAgentRow, isFinished, openDialog, type ActivityRow } from "../view/index.ts";
import type { Frontend } from "./app-context.ts";

/** Leaves, or asks first if that would stop something. */
export function leaveOrAsk({ store, leave }: Pick<Frontend, "store" | "leave">): void {
  if (stoppedByLeaving(store.getState()).length === 0) leave();
  else store.setState((state) => openDialog(state, { kind: "confirm-leave" }));
}

/** Returns the running jobs and agents except the lead. An idle teammate loses nothing. */
export function stoppedByLeaving(state: AppState): readonly ActivityRow[] {
  return [...state.activityRows.values()].filter((task) => !isFinished(task) && !(isAgentRow(task) && task.isIdle));
}
