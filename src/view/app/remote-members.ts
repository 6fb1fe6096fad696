import type { Envelope } from "../../protocol/index.ts";
import type { AppState } from "./app-state.ts";
import { dropTranscript } from "../transcript/forget-transcript.ts";
import { reduce } from "../session/reduce.ts";
import { leadOf, type SessionView } from "../session/session-view.ts";
import { updateRemoteRow } from "../activity/build-activity-row.ts";
import { isFinished, isTeammateRow, type ActivityRow, type TeammateRow } from "../activity/activity-row.ts";

/** The session of a member in another process, as far as its row in the tree shows it: what was said before is not kept. */
export function reduceRemoteMember(session: SessionView, envelope: Envelope): SessionView {
  return dropTranscript(reduce(session, envelope), envelope.agent);
}

/** What was heard, on its row. The same state if there is none, or nothing is new. */
export function withRemoteMember(state: AppState, id: string, session: SessionView): AppState {
  const task = state.activityRows.get(id);
  const agent = leadOf(session);
  if (!task || !agent || !isRemoteTeammate(task) || task.remoteAgent === agent) return state;
  return { ...state, activityRows: new Map(state.activityRows).set(id, updateRemoteRow(task, agent)) };
}

/** Those whose own processes have to be listened to. */
export const remoteMembers = (state: AppState): readonly TeammateRow[] =>
  [...state.activityRows.values()]
    .filter(isRemoteTeammate)
    .filter((task) => !isFinished(task) && task.sessionId !== undefined);

const isRemoteTeammate = (task: ActivityRow): task is TeammateRow =>
  isTeammateRow(task) && task.type === "remote_agent";
