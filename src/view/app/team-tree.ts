import { type Activity, activityOf } from "../session/agent-view.ts";
import { visibleRows } from "./fold-app-state.ts";
import type { AppState } from "./app-state.ts";
import { agentOf } from "../session/session-view.ts";
import { type AgentRow, isAgentRow, isTeammateRow } from "../activity/activity-row.ts";

/** An agent in the tree under the spinner. Texts are unfiltered: apply `visibleLine` before drawing them. */
export interface TeamTreeRow {
  readonly task: AgentRow;
  readonly state: "starting" | "working" | "waiting" | "silent" | "idle" | "ended" | "failed" | "stopped";
  /** Its current activity; also `none` if unknown here. */
  readonly activity: Activity;
  /** Its working time, without waits for people. */
  readonly workedMs: number;
  /** The beginning of its last message, if previews are shown. */
  readonly preview: string;
  readonly isSelected: boolean;
  readonly isViewed: boolean;
}

/** Teammates first, then subagents, each in order of appearance. */
export function teamTree(state: AppState, now: number): readonly TeamTreeRow[] {
  return agentRows(state, now).map((task, index) => {
    const agent = task.agent === undefined ? remoteAgentOf(task) : agentOf(state.session, task.agent);
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

const remoteAgentOf = (task: AgentRow) => (isTeammateRow(task) ? task.remoteAgent : undefined);

/** The agents with a row, in the order of the rows. */
export function agentRows(state: AppState, now: number): readonly AgentRow[] {
  const agents = visibleRows(state, now).filter(isAgentRow);
  return [...agents.filter(isTeammateRow), ...agents.filter((task) => !isTeammateRow(task))];
}

function stateOf(task: AgentRow): TeamTreeRow["state"] {
  switch (task.status) {
    case "pending":
      return "starting";
    case "running":
      if (isTeammateRow(task) && task.isSilent) return "silent";
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

function workedMs({ startTime, endTime, waitingSince, permissionWaitMs }: AgentRow, now: number): number {
  const end = endTime ?? now;
  const waiting = waitingSince === undefined ? 0 : Math.max(0, end - waitingSince);
  return Math.max(0, end - startTime - permissionWaitMs - waiting);
}
