import type { Envelope } from "../protocol/index.ts";
import { withQuestion } from "./app-dialog.ts";
import type { AppState } from "./app-state.ts";
import { forgetOthers, forgetTranscript } from "./forget-transcript.ts";
import { isLive, reduce } from "./reduce.ts";
import { agentOf, emptyView, leadOf, type SessionView } from "./session-view.ts";
import { syncAll, syncTasks, taskIdOf, type Tasks, withMessages } from "./sync-tasks.ts";
import { isAgentTask, isFinished, type TaskState } from "./task-state.ts";
import { type Self, teamContextOf } from "./team-context.ts";
import { autoExit, wantedTranscript } from "./teammate-view.ts";

export interface AppStart {
  /** What the session is when the face begins to look. */
  readonly session?: SessionView | undefined;
  readonly self?: Self | undefined;
  readonly expandedView?: AppState["expandedView"] | undefined;
  readonly showTeammateMessagePreview?: boolean | undefined;
  readonly now: number;
}

export function createAppState({ session = emptyView, self, now, ...remembered }: AppStart): AppState {
  const lean = forgetOthers(session);
  const tasks = syncAll(new Map(), lean, now);
  return withQuestion({
    session: lean,
    tasks,
    viewing: undefined,
    viewSelectionMode: "none",
    expandedView: remembered.expandedView ?? "none",
    footerSelection: undefined,
    coordinatorTaskIndex: -1,
    selectedTeammateIndex: -1,
    showTeammateMessagePreview: remembered.showTeammateMessagePreview ?? true,
    teamContext: teamContextOf(lean, self),
    self,
    agentNameRegistry: namesOf(new Map(), tasks),
    dialog: { kind: "none" },
    notices: [],
  });
}

/** What a face has on its mind after something happened. The same state if there is nothing to see. */
export function onEnvelope(state: AppState, envelope: Envelope): AppState {
  const reduced = reduce(state.session, envelope);
  if (reduced === state.session) return state;
  const watched = taskOfEnvelope(reduced, envelope);
  const isKept = watched !== undefined && watched === state.viewing;
  const isLead = leadOf(reduced)?.id === envelope.agent;
  const session = isKept || isLead ? reduced : forgetTranscript(reduced, envelope.agent);
  const synced = syncTasks(withStreamed(state, envelope), session, envelope);
  const tasks = isKept ? withMessages(synced, session, watched) : synced;
  const teamContext =
    session.teams === state.session.teams && session.memberships === state.session.memberships
      ? state.teamContext
      : teamContextOf(session, state.self);
  const agentNameRegistry = tasks === state.tasks ? state.agentNameRegistry : namesOf(state.agentNameRegistry, tasks);
  const next = { ...state, session, tasks, teamContext, agentNameRegistry };
  return autoExit(withQuestion(next), Date.parse(envelope.at));
}

/** After some of what happened was missed: goes on from how the session is now, looking at whom one looked at. */
export function catchUp(state: AppState, session: SessionView, now: number): AppState {
  const lean = forgetOthers(session);
  const kept = new Map<string, TaskState>();
  for (const task of state.tasks.values())
    kept.set(task.id, isAgentTask(task) ? { ...task, diskLoaded: false, streamed: [] } : task);
  const tasks = syncAll(kept, lean, now);
  const next = { ...state, session: lean, tasks, teamContext: teamContextOf(lean, state.self) };
  return autoExit(withQuestion({ ...next, agentNameRegistry: namesOf(state.agentNameRegistry, tasks) }), now);
}

/** What time alone brings about: rows whose moment is over go, and notices. */
export function tick(state: AppState, now: number): AppState {
  const gone = [...state.tasks.values()].filter((task) => isEvicted(task, now));
  const notices = state.notices.filter(({ until }) => until === undefined || until > now);
  if (gone.length === 0 && notices.length === state.notices.length) return state;
  const tasks = new Map(state.tasks);
  for (const { id } of gone) tasks.delete(id);
  return autoExit({ ...state, tasks: gone.length === 0 ? state.tasks : tasks, notices }, now);
}

/** When `tick` has something to do next; undefined: not before something else happens. */
export function nextTick(state: AppState): number | undefined {
  const times = [
    ...[...state.tasks.values()].flatMap((task) => (isFinished(task) ? (task.evictAfter ?? []) : [])),
    ...state.notices.flatMap(({ until }) => until ?? []),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Rows to draw: all but those that were put out of sight or have had their moment. */
export const shownTasks = (state: AppState, now: number): readonly TaskState[] =>
  [...state.tasks.values()].filter(({ evictAfter }) => evictAfter === undefined || evictAfter > now);

const isEvicted = (task: TaskState, now: number): boolean =>
  isFinished(task) &&
  task.notified &&
  !(isAgentTask(task) && task.retain) &&
  task.evictAfter !== undefined &&
  task.evictAfter <= now;

/** Keeps what comes while a transcript is being read, to be put after it. */
function withStreamed(state: AppState, envelope: Envelope): Tasks {
  const task = wantedTranscript(state);
  if (task?.agent !== envelope.agent || !task || isLive(envelope.event)) return state.tasks;
  return new Map(state.tasks).set(task.id, { ...task, streamed: [...task.streamed, envelope] });
}

function taskOfEnvelope(session: SessionView, { agent }: Envelope): string | undefined {
  const found = agentOf(session, agent);
  return found && taskIdOf(session, found);
}

function namesOf(known: ReadonlyMap<string, string>, tasks: Tasks): ReadonlyMap<string, string> {
  let names: Map<string, string> | undefined;
  for (const task of tasks.values()) {
    if (!isAgentTask(task) || known.get(task.name) === task.id) continue;
    names ??= new Map(known);
    names.set(task.name, task.id);
  }
  return names ?? known;
}
