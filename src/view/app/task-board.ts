import { isOpenTask, type WorkItem, type WorkItemId } from "../../protocol/index.ts";
import type { AppState } from "./app-state.ts";

/** The shared task list for people. Texts are unfiltered: apply `visibleText` before drawing them. */
export interface TaskBoard {
  /** Empty for the session's own list. */
  readonly team: string;
  readonly rows: readonly TaskBoardRow[];
  readonly counts: Readonly<Record<WorkItem["status"], number>>;
}

export interface TaskBoardRow {
  readonly task: WorkItem;
  /** The unfinished tasks that it waits for. */
  readonly blockedBy: readonly WorkItemId[];
  readonly ownerColor: string | undefined;
}

/**
 * Returns the team's list, or the session's own if there is no team or its list is empty. Tasks in progress come first.
 */
export function taskBoard(state: AppState): TaskBoard {
  const ofTeam = state.teamContext?.teamName ?? "";
  const team = (state.session.tasks.get(ofTeam)?.length ?? 0) > 0 ? ofTeam : "";
  const tasks = state.session.tasks.get(team) ?? [];
  const open = new Set(tasks.filter(isOpenTask).map(({ id }) => id));
  const colors = colorsOf(state, team);
  const shown = tasks.filter(({ status }) => status !== "deleted");
  const rows = shown.map((task) => ({
    task,
    blockedBy: isOpen(task.status) ? task.blockedBy.filter((id) => open.has(id)) : [],
    ownerColor: task.owner === undefined ? undefined : colors.get(task.owner),
  }));
  const counts = { pending: 0, in_progress: 0, completed: 0, deleted: 0 };
  for (const { status } of tasks) counts[status] += 1;
  return { team, rows: rows.sort((a, b) => rank(a) - rank(b)), counts };
}

/** True if the list is open: at the user's wish, or because there are open tasks. */
export const areTasksShown = (state: AppState): boolean =>
  state.expandedView === "tasks" ||
  (state.expandedView === "auto" && taskBoard(state).rows.some(({ task }) => isOpen(task.status)));

const isOpen = (status: WorkItem["status"]) => status === "pending" || status === "in_progress";

function rank({ task, blockedBy }: TaskBoardRow): number {
  if (task.status === "in_progress") return 0;
  if (task.status === "pending") return blockedBy.length === 0 ? 1 : 2;
  return 3;
}

function colorsOf({ session }: AppState, team: string): ReadonlyMap<string, string> {
  const members = session.teams.get(team)?.members ?? [];
  return new Map(members.flatMap(({ name, color }) => (color === undefined ? [] : [[name, color] as const])));
}
