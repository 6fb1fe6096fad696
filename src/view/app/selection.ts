import type { AppState } from "./app-state.ts";
import { areTasksShown } from "./task-board.ts";
import { agentRows } from "./team-tree.ts";
import { enterTeammateView, exitTeammateView } from "./teammate-view.ts";

export interface Step {
  readonly by: 1 | -1;
  readonly now: number;
}

/**
 * Moves the selection through the agents' rows and the lead (-1), and wraps at the ends. Without agents, returns the
 * same state.
 */
export function selectTeammate(state: AppState, { by, now }: Step): AppState {
  const count = agentRows(state, now).length;
  if (count === 0) return stopSelecting(state);
  const start = state.viewSelectionMode === "selecting-agent" ? state.selectedTeammateIndex : viewedIndex(state, now);
  const selectedTeammateIndex = wrapped(Math.min(start, count - 1) + by, -1, count);
  if (state.viewSelectionMode === "selecting-agent" && selectedTeammateIndex === state.selectedTeammateIndex)
    return state;
  return { ...state, viewSelectionMode: "selecting-agent", selectedTeammateIndex };
}

export function viewSelectedTeammate(state: AppState, now: number): AppState {
  if (state.viewSelectionMode !== "selecting-agent") return state;
  const task = agentRows(state, now)[state.selectedTeammateIndex];
  return task ? enterTeammateView(state, task.id, now) : exitTeammateView(state, now);
}

/** Returns to the agent that was in view before. */
export function stopSelecting(state: AppState): AppState {
  if (state.viewSelectionMode !== "selecting-agent") return state;
  return { ...state, viewSelectionMode: state.viewing === undefined ? "none" : "viewing-agent" };
}

/** The same for a coordinator's panel: -1 is the pill, 0 the lead, then the agents. Stops at the ends. */
export function selectCoordinatorTask(state: AppState, { by, now }: Step): AppState {
  const count = agentRows(state, now).length;
  const coordinatorTaskIndex = Math.max(-1, Math.min(count, state.coordinatorTaskIndex + by));
  return coordinatorTaskIndex === state.coordinatorTaskIndex ? state : { ...state, coordinatorTaskIndex };
}

export const toggleTasks = (state: AppState): AppState => ({
  ...state,
  expandedView: areTasksShown(state) ? "none" : "tasks",
});

const viewedIndex = (state: AppState, now: number): number =>
  agentRows(state, now).findIndex(({ id }) => id === state.viewing);

/** Wraps an index into the range from `from` up to but not including `to`. */
const wrapped = (index: number, from: number, to: number): number =>
  index < from ? to - 1 : index >= to ? from : index;
