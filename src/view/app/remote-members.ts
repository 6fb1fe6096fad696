import type { Envelope } from "../../protocol/index.ts";
import type { AppState } from "./app-state.ts";
import { dropTranscript } from "../transcript/forget-transcript.ts";
import { reduce } from "../session/reduce.ts";
import { leadOf, type SessionView } from "../session/session-view.ts";
import { updateRemoteRow } from "../activity/build-activity-row.ts";
import { isFinished, isTeammateRow, type ActivityRow, type TeammateRow } from "../activity/activity-row.ts";

/** Folds the session of a member in another process, as far as its row shows it. Its transcript is not kept. */
export function reduceRemoteMember(session: SessionView, envelope: Envelope): SessionView {
  return dropTranscript(reduce(session, envelope), envelope.agent);
}

/** Updates the member's row. Returns the same state if there is no row or nothing is new. */
export function withRemoteMember(state: AppState, id: string, session: SessionView): AppState {
  const task = state.activityRows.get(id);
  const agent = leadOf(session);
  if (!task || !agent || !isRemoteTeammate(task) || task.remoteAgent === agent) return state;
  return { ...state, activityRows: new Map(state.activityRows).set(id, updateRemoteRow(task, agent)) };
}

/** The members whose own processes must be followed. */
export const remoteMembers = (state: AppState): readonly TeammateRow[] =>
  [...state.activityRows.values()]
    .filter(isRemoteTeammate)
    .filter((task) => !isFinished(task) && task.sessionId !== undefined);

const isRemoteTeammate = (task: ActivityRow): task is TeammateRow =>
  isTeammateRow(task) && task.type === "remote_agent";
