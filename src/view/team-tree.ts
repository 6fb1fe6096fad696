import { type Activity, activityOf } from "./agent-view.ts";
import { shownTasks } from "./app-fold.ts";
import type { AppState } from "./app-state.ts";
import { agentOf } from "./session-view.ts";
import { type AgentTask, isAgentTask, isTeammate } from "./task-state.ts";

/** An agent in the tree under the spinner. Names and words are as they came: `visibleLine` before they are drawn. */
export interface TeamTreeRow {
  readonly task: AgentTask;
  readonly state: "starting" | "working" | "waiting" | "silent" | "idle" | "ended" | "failed" | "stopped";
  /** What it does this moment; `none` also where that is not known here. */
  readonly activity: Activity;
  /** How long it has worked, without what it waited for people. */
  readonly workedMs: number;
  /** The beginning of its last words, where those are to be shown. */
  readonly preview: string;
  readonly isSelected: boolean;
  readonly isViewed: boolean;
}

/** Teammates first, then sub-agents, each in the order in which they came. */
export function teamTree(state: AppState, now: number): readonly TeamTreeRow[] {
  return agentRows(state, now).map((task, index) => {
    const agent = task.agent === undefined ? heardOf(task) : agentOf(state.session, task.agent);
    return {
      task,
      state: stateOf(task),
      activity: agent ? activityOf(agent) : { kind: "none" },
      workedMs: workedMs(task, now),
      preview: state.showTeammateMessagePreview ? task.progress.lastMessage : "",
      isSelected: state.viewSelectionMode === "selecting-agent" && state.selectedTeammateIndex === index,
      isViewed: state.viewing === task.id,
    };
  });
}

const heardOf = (task: AgentTask) => (isTeammate(task) ? task.heard : undefined);

/** The agents that have a row, in the order of the rows. */
export function agentRows(state: AppState, now: number): readonly AgentTask[] {
  const agents = shownTasks(state, now).filter(isAgentTask);
  return [...agents.filter(isTeammate), ...agents.filter((task) => !isTeammate(task))];
}

function stateOf(task: AgentTask): TeamTreeRow["state"] {
  switch (task.status) {
    case "pending":
      return "starting";
    case "running":
      if (isTeammate(task) && task.isSilent) return "silent";
      if (task.waitingSince !== undefined) return "waiting";
      return task.isIdle ? "idle" : "working";
    case "completed":
      return "ended";
    case "failed":
      return "failed";
    case "killed":
      return "stopped";
  }
}

function workedMs({ startTime, endTime, waitingSince, permissionWaitMs }: AgentTask, now: number): number {
  const end = endTime ?? now;
  const waiting = waitingSince === undefined ? 0 : Math.max(0, end - waitingSince);
  return Math.max(0, end - startTime - permissionWaitMs - waiting);
}
