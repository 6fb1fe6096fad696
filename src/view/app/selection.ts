import type { AppState } from "./app-state.ts";
import { agentRows } from "./team-tree.ts";
import { enterTeammateView, exitTeammateView } from "./teammate-view.ts";

export interface Step {
  readonly by: 1 | -1;
  readonly now: number;
}

/** Walks through the agents' rows and the lead (-1), around the ends. Nobody there: the same state. */
export function selectTeammate(state: AppState, { by, now }: Step): AppState {
  const count = agentRows(state, now).length;
  if (count === 0) return stopSelecting(state);
  const start = state.viewSelectionMode === "selecting-agent" ? state.selectedTeammateIndex : viewedIndex(state, now);
  const selectedTeammateIndex = wrapped(Math.min(start, count - 1) + by, -1, count);
  if (state.viewSelectionMode === "selecting-agent" && selectedTeammateIndex === state.selectedTeammateIndex)
    return state;
  return { ...state, viewSelectionMode: "selecting-agent", selectedTeammateIndex };
}

/** Looks at whoever is selected. */
export function viewSelectedTeammate(state: AppState, now: number): AppState {
  if (state.viewSelectionMode !== "selecting-agent") return state;
  const task = agentRows(state, now)[state.selectedTeammateIndex];
  return task ? enterTeammateView(state, task.id, now) : exitTeammateView(state, now);
}

/** Back to looking at whom one looked at before. */
export function stopSelecting(state: AppState): AppState {
  if (state.viewSelectionMode !== "selecting-agent") return state;
  return { ...state, viewSelectionMode: state.viewing === undefined ? "none" : "viewing-agent" };
}

/** The same walk in a coordinator's panel: -1 the pill, 0 the lead, then the agents; it stops at the ends. */
export function selectCoordinatorTask(state: AppState, { by, now }: Step): AppState {
  const count = agentRows(state, now).length;
  const coordinatorTaskIndex = Math.max(-1, Math.min(count, state.coordinatorTaskIndex + by));
  return coordinatorTaskIndex === state.coordinatorTaskIndex ? state : { ...state, coordinatorTaskIndex };
}

export function toggleExpanded(state: AppState, view: Exclude<AppState["expandedView"], "none">): AppState {
  return { ...state, expandedView: state.expandedView === view ? "none" : view };
}

const viewedIndex = (state: AppState, now: number): number =>
  agentRows(state, now).findIndex(({ id }) => id === state.viewing);

/** Within `from` up to but not including `to`, going round. */
const wrapped = (index: number, from: number, to: number): number =>
  index < from ? to - 1 : index >= to ? from : index;
