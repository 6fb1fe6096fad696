import { type Envelope, messageOf, type SessionId, TroupeError } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";
import {
  addNotice,
  type AgentRow,
  agentOf,
  type AppState,
  catchUp,
  exitTeammateView,
  isTeammateRow,
  isViewAging,
  nextTick,
  applyEnvelope,
  refreshView,
  type Store,
  tick,
  transcriptLoaded,
  wantedTranscript,
} from "../view/index.ts";
import { followMembers } from "./follow-members.ts";

export interface FollowOptions {
  readonly session: Session;
  /** Create it from `session.view()` in the same tick as this call, so that no event is lost. */
  readonly store: Store<AppState>;
  readonly now: () => number;
  /** Yields the events of a member's session in another process, from its beginning. */
  readonly followMember?: ((session: SessionId, signal: AbortSignal) => AsyncIterable<readonly Envelope[]>) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Keeps a store in sync with a session: its events, time-based changes, and the transcript of the agent in view.
 * Resolves when the session has closed or `signal` aborts.
 */
export async function followSession({ session, store, now, followMember, signal }: FollowOptions): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let aging: NodeJS.Timeout | undefined;
  let loading: string | undefined;
  const members = followMember && followMembers({ store, now, listen: followMember, signal });
  /** The state for which the timer was set. */
  let seen: AppState | undefined;

  const load = (task: AgentRow) => {
    loading = task.id;
    session
      .transcript(sourceOf(task, store.getState()))
      .then((stored) => store.setState((state) => transcriptLoaded(state, task.id, stored)))
      .catch((error: unknown) => {
        const text = `cannot read the transcript of ${task.name}: ${messageOf(error)}`;
        store.setState((state) => {
          const left = state.viewing === task.id ? exitTeammateView(state, now()) : state;
          return addNotice(left, { level: "error", text, until: undefined });
        });
      })
      .finally(() => {
        loading = undefined;
        react();
      });
  };

  const react = () => {
    if (signal.aborted) return;
    const state = store.getState();
    const wanted = wantedTranscript(state);
    // Load one transcript at a time. When it is loaded, the agent then in view decides which comes next.
    if (wanted && loading === undefined) load(wanted);
    if (state.activityRows === seen?.activityRows && state.notices === seen.notices) return;
    seen = state;
    members?.(state);
    clearTimeout(aging);
    if (isViewAging(state)) aging = setTimeout(() => store.setState(refreshView), agingMs).unref();
    clearTimeout(timer);
    const at = nextTick(state);
    if (at !== undefined) {
      timer = setTimeout(() => store.setState((before) => tick(before, now())), Math.max(0, at - now())).unref();
    }
  };

  const stop = store.subscribe(react);
  react();
  try {
    for (let events = session.events({ fresh: true, signal }); ; events = session.events({ fresh: true, signal })) {
      try {
        for await (const envelope of events) store.setState((state) => applyEnvelope(state, envelope));
        return;
      } catch (error) {
        if (!TroupeError.is(error) || error.code !== "slow_reader") throw error;
        // In the same tick as the next call of `events`, so that no event is lost.
        store.setState((state) => catchUp(state, session.view(), now()));
      }
    }
  } finally {
    stop();
    clearTimeout(timer);
    clearTimeout(aging);
  }
}

/** The maximum age of the displayed state of a member in another process. */
const agingMs = 1_500;

/** A member has its own session and is the lead agent in it. */
function sourceOf(task: AgentRow, { session }: AppState) {
  if (isTeammateRow(task) && task.sessionId !== undefined) return { session: task.sessionId };
  const agent = task.agent === undefined ? undefined : agentOf(session, task.agent);
  return { session: agent?.session, agent: agent?.id };
}
