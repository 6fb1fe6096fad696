import type { Envelope } from "../../protocol/index.ts";
import { withQuestion } from "./app-dialog.ts";
import type { AppState } from "./app-state.ts";
import { dropOtherTranscripts, dropTranscript } from "../transcript/forget-transcript.ts";
import { isLive, reduce } from "../session/reduce.ts";
import { agentOf, emptyView, leadOf, type SessionView } from "../session/session-view.ts";
import {
  syncAllActivityRows,
  syncActivityRows,
  activityRowIdOf,
  type ActivityRows,
  withMessages,
} from "../activity/sync-activity-rows.ts";
import { isAgentRow, isFinished, type ActivityRow } from "../activity/activity-row.ts";
import { type Self, teamContextOf } from "./team-context.ts";
import { exitIfEnded, wantedTranscript } from "./teammate-view.ts";

export interface AppStart {
  /** The session when the frontend starts to follow it. */
  readonly session?: SessionView | undefined;
  readonly self?: Self | undefined;
  readonly showTeammateMessagePreview?: boolean | undefined;
  /** The dialog that is open at the start. */
  readonly opens?: "trust" | "resume" | undefined;
  readonly now: number;
}

export function createAppState({ session = emptyView, self, opens, now, ...remembered }: AppStart): AppState {
  const lean = dropOtherTranscripts(session);
  const tasks = syncAllActivityRows(new Map(), lean, now);
  return withQuestion({
    session: lean,
    activityRows: tasks,
    viewing: undefined,
    viewSelectionMode: "none",
    expandedView: "auto",
    footerSelection: undefined,
    coordinatorTaskIndex: -1,
    selectedTeammateIndex: -1,
    showTeammateMessagePreview: remembered.showTeammateMessagePreview ?? true,
    teamContext: teamContextOf(lean, self),
    self,
    agentNameRegistry: namesOf(new Map(), tasks),
    dialog: { kind: opens ?? "none" },
    promptUse: "idle",
    notices: [],
  });
}

/** Returns the next state after an event; the same state if nothing visible changed. */
export function applyEnvelope(state: AppState, envelope: Envelope): AppState {
  const reduced = reduce(state.session, envelope);
  if (reduced === state.session) return state;
  const watched = taskOfEnvelope(reduced, envelope);
  const isRetained = watched !== undefined && watched === state.viewing;
  const isLead = leadOf(reduced)?.id === envelope.agent;
  const session = isRetained || isLead ? reduced : dropTranscript(reduced, envelope.agent);
  const synced = syncActivityRows(withStreamed(state, envelope), session, envelope);
  const tasks = isRetained ? withMessages(synced, session, watched) : synced;
  const teamContext =
    session.teams === state.session.teams && session.memberships === state.session.memberships
      ? state.teamContext
      : teamContextOf(session, state.self);
  const agentNameRegistry =
    tasks === state.activityRows ? state.agentNameRegistry : namesOf(state.agentNameRegistry, tasks);
  const next: AppState = { ...state, session, activityRows: tasks, teamContext, agentNameRegistry };
  return exitIfEnded(withQuestion(next), Date.parse(envelope.at));
}

/** Continues from the current session after missed events, with the same agent in view. */
export function catchUp(state: AppState, session: SessionView, now: number): AppState {
  const lean = dropOtherTranscripts(session);
  const kept = new Map<string, ActivityRow>();
  for (const task of state.activityRows.values())
    kept.set(task.id, isAgentRow(task) ? { ...task, diskLoaded: false, streamed: [] } : task);
  const tasks = syncAllActivityRows(kept, lean, now);
  const next: AppState = {
    ...state,
    session: lean,
    activityRows: tasks,
    teamContext: teamContextOf(lean, state.self),
  };
  return exitIfEnded(withQuestion({ ...next, agentNameRegistry: namesOf(state.agentNameRegistry, tasks) }), now);
}

/** Applies the passage of time: removes expired rows and notices. */
export function tick(state: AppState, now: number): AppState {
  const gone = [...state.activityRows.values()].filter((task) => isEvicted(task, now));
  const notices = state.notices.filter(({ until }) => until === undefined || until > now);
  if (gone.length === 0 && notices.length === state.notices.length) return state;
  const tasks = new Map(state.activityRows);
  for (const { id } of gone) tasks.delete(id);
  return exitIfEnded({ ...state, activityRows: gone.length === 0 ? state.activityRows : tasks, notices }, now);
}

/** Returns when `tick` is needed next; undefined if not before another event. */
export function nextTick(state: AppState): number | undefined {
  const times = [
    ...[...state.activityRows.values()].flatMap((task) => (isFinished(task) ? (task.evictAfter ?? []) : [])),
    ...state.notices.flatMap(({ until }) => until ?? []),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The rows to draw: all except dismissed and expired ones. */
export const visibleRows = (state: AppState, now: number): readonly ActivityRow[] =>
  [...state.activityRows.values()].filter(({ evictAfter }) => evictAfter === undefined || evictAfter > now);

const isEvicted = (task: ActivityRow, now: number): boolean =>
  isFinished(task) &&
  task.notified &&
  !(isAgentRow(task) && task.retain) &&
  task.evictAfter !== undefined &&
  task.evictAfter <= now;

/** Keeps events that arrive while a transcript is being loaded, to append them after it. */
function withStreamed(state: AppState, envelope: Envelope): ActivityRows {
  const task = wantedTranscript(state);
  if (task?.agent !== envelope.agent || !task || isLive(envelope.event)) return state.activityRows;
  return new Map(state.activityRows).set(task.id, { ...task, streamed: [...task.streamed, envelope] });
}

function taskOfEnvelope(session: SessionView, { agent }: Envelope): string | undefined {
  const found = agentOf(session, agent);
  return found && activityRowIdOf(session, found);
}

function namesOf(known: ReadonlyMap<string, string>, tasks: ActivityRows): ReadonlyMap<string, string> {
  let names: Map<string, string> | undefined;
  for (const task of tasks.values()) {
    if (!isAgentRow(task) || known.get(task.name) === task.id) continue;
    names ??= new Map(known);
    names.set(task.name, task.id);
  }
  return names ?? known;
}
