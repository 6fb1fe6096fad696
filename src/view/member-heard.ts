import type { Envelope } from "../protocol/index.ts";
import type { AppState } from "./app-state.ts";
import { forgetTranscript } from "./forget-transcript.ts";
import { reduce } from "./reduce.ts";
import { leadOf, type SessionView } from "./session-view.ts";
import { heardTask } from "./task-of.ts";
import { isFinished, isTeammate, type TaskState, type TeammateTask } from "./task-state.ts";

/** The session of a member in another process, as far as its row in the tree shows it: what was said before is not kept. */
export function reduceRemoteMember(session: SessionView, envelope: Envelope): SessionView {
  return forgetTranscript(reduce(session, envelope), envelope.agent);
}

/** What was heard, on its row. The same state if there is none, or nothing is new. */
export function withRemoteMember(state: AppState, id: string, session: SessionView): AppState {
  const task = state.tasks.get(id);
  const agent = leadOf(session);
  if (!task || !agent || !isRemoteTeammate(task) || task.heard === agent) return state;
  return { ...state, tasks: new Map(state.tasks).set(id, heardTask(task, agent)) };
}

/** Those whose own processes have to be listened to. */
export const remoteMembers = (state: AppState): readonly TeammateTask[] =>
  [...state.tasks.values()]
    .filter(isRemoteTeammate)
    .filter((task) => !isFinished(task) && task.sessionId !== undefined);

const isRemoteTeammate = (task: TaskState): task is TeammateTask => isTeammate(task) && task.type === "remote_agent";
