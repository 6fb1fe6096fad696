import type { AgentPath, Command, StoredEnvelope } from "../../protocol/index.ts";
import type { AppState } from "./app-state.ts";
import { foldTranscript, dropTranscript, restoreTranscript } from "../transcript/forget-transcript.ts";
import { agentOf } from "../session/session-view.ts";
import { activityRowFor, withMessages } from "../activity/sync-activity-rows.ts";
import { evictionGraceMs } from "../activity/build-activity-row.ts";
import { type AgentRow, isAgentRow, isFinished, isTeammateRow, type ActivityRow } from "../activity/activity-row.ts";

/** Shows an agent: its transcript is loaded and kept until the view changes. */
export function enterTeammateView(state: AppState, id: string, now: number): AppState {
  const task = state.activityRows.get(id) ?? activityRowFor(state.session, id, now);
  if (!task || !isAgentRow(task)) return state;
  if (state.viewing === id && state.viewSelectionMode === "viewing-agent" && task.retain) return state;
  const free = state.viewing === undefined || state.viewing === id ? state : releaseTask(state, state.viewing, now);
  const retained: AgentRow = task.retain ? task : { ...task, retain: true, evictAfter: undefined };
  return {
    ...free,
    activityRows:
      free.activityRows.get(id) === retained ? free.activityRows : new Map(free.activityRows).set(id, retained),
    viewing: id,
    viewSelectionMode: "viewing-agent",
  };
}

export function exitTeammateView(state: AppState, now: number): AppState {
  if (state.viewing === undefined)
    return state.viewSelectionMode === "none" ? state : { ...state, viewSelectionMode: "none" };
  return { ...releaseTask(state, state.viewing, now), viewing: undefined, viewSelectionMode: "none" };
}

/**
 * Drops the transcript of an agent that is no longer in view. If the agent has ended, its row stays for a short time.
 */
export function release<T extends ActivityRow>(task: T, now: number): T {
  if (!isAgentRow(task) || !task.retain) return task;
  const evictAfter = isFinished(task) ? now + evictionGraceMs : undefined;
  return { ...task, retain: false, messages: undefined, streamed: [], diskLoaded: false, evictAfter };
}

export interface StopResult {
  readonly state: AppState;
  /** The command that stops it; undefined if it has ended. */
  readonly command: Command | undefined;
}

/** The x key: stops a running agent, or dismisses an ended one. */
export function stopOrDismissAgent(state: AppState, id: string, now: number): StopResult {
  const task = state.activityRows.get(id);
  if (!task) return { state, command: undefined };
  if (!isFinished(task)) return { state, command: task.abort };
  const back = state.viewing === id ? exitTeammateView(state, now) : state;
  const ended = back.activityRows.get(id);
  if (!ended || ended.evictAfter === 0) return { state: back, command: undefined };
  const tasks = new Map(back.activityRows).set(id, { ...release(ended, now), evictAfter: 0 });
  return { state: { ...back, activityRows: tasks }, command: undefined };
}

/** Leaves the view of a teammate that has ended. The status of a subagent never closes its view. */
export function exitIfEnded(state: AppState, now: number): AppState {
  if (state.viewing === undefined) return state;
  const task = state.activityRows.get(state.viewing);
  if (!task) return exitTeammateView(state, now);
  if (!isTeammateRow(task)) return state;
  const canStay = task.status === "running" || task.status === "completed" || task.status === "pending";
  return canStay && task.error === undefined ? state : exitTeammateView(state, now);
}

export type ActiveAgent = { readonly kind: "lead" } | { readonly kind: "teammate" | "agent"; readonly task: AgentRow };

/** The agent that receives the typed text. */
export function getActiveAgentForInput(state: AppState): ActiveAgent {
  const task = state.viewing === undefined ? undefined : state.activityRows.get(state.viewing);
  if (!task || !isAgentRow(task)) return { kind: "lead" };
  return { kind: isTeammateRow(task) ? "teammate" : "agent", task };
}

/** The command that sends a text in this state. */
export function inputCommand(state: AppState, text: string): Command {
  const { kind, ...active } = getActiveAgentForInput(state);
  const task = "task" in active ? active.task : undefined;
  if (kind === "lead" || !task) return { type: "prompt", content: text };
  if (isTeammateRow(task)) return { type: "mail.send", team: task.team, to: task.name, text };
  return { type: "prompt", agent: task.path, content: text };
}

/** The command that stops the turn of the agent in view. */
export function interruptCommand(state: AppState): Command {
  const active = getActiveAgentForInput(state);
  if (active.kind === "lead") return { type: "interrupt" };
  const { task } = active;
  if (isTeammateRow(task)) return { type: "member.interrupt", team: task.team, name: task.name };
  return { type: "interrupt", agent: task.path satisfies AgentPath };
}

/** The agent in view whose stored transcript is not loaded yet. */
export function wantedTranscript(state: AppState): AgentRow | undefined {
  const task = state.viewing === undefined ? undefined : state.activityRows.get(state.viewing);
  return task && isAgentRow(task) && task.retain && !task.diskLoaded ? task : undefined;
}

/**
 * True if the displayed transcript becomes outdated: the agent works in another process, and its events do not arrive
 * here.
 */
export function isViewAging(state: AppState): boolean {
  const task = state.viewing === undefined ? undefined : state.activityRows.get(state.viewing);
  return task?.type === "remote_agent" && task.diskLoaded && task.status === "running" && !task.isIdle;
}

/** Requests the transcript again; the current one is shown until then. */
export function refreshView(state: AppState): AppState {
  const task = state.viewing === undefined ? undefined : state.activityRows.get(state.viewing);
  if (!isViewAging(state) || !task || !isAgentRow(task)) return state;
  return { ...state, activityRows: new Map(state.activityRows).set(task.id, { ...task, diskLoaded: false }) };
}

/**
 * Puts the stored events of an agent before those that arrived since it is in view. Events in both count once, by their
 * number. Returns the same state if the agent is no longer in view.
 */
export function transcriptLoaded(state: AppState, id: string, stored: readonly StoredEnvelope[]): AppState {
  const task = state.activityRows.get(id);
  if (!task || !isAgentRow(task) || !task.retain || task.diskLoaded) return state;
  const shown = task.agent === undefined ? undefined : agentOf(state.session, task.agent);
  const upTo = shown?.seq ?? Number.POSITIVE_INFINITY;
  const whole = foldTranscript([...stored, ...task.streamed].filter(({ seq }) => seq <= upTo));
  const loaded: AgentRow = { ...task, diskLoaded: true, streamed: [], messages: whole?.transcript ?? task.messages };
  const tasks = new Map(state.activityRows).set(id, loaded);
  if (!whole || !shown) return { ...state, activityRows: tasks };
  const session = restoreTranscript(state.session, whole);
  return { ...state, session, activityRows: withMessages(tasks, session, id) };
}

function releaseTask(state: AppState, id: string, now: number): AppState {
  const task = state.activityRows.get(id);
  if (!task) return state;
  const released = release(task, now);
  if (released === task) return state;
  const tasks = new Map(state.activityRows).set(id, released);
  const session =
    isAgentRow(task) && task.agent !== undefined ? dropTranscript(state.session, task.agent) : state.session;
  return { ...state, session, activityRows: tasks };
}
