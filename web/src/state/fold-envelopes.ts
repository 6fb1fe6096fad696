import type { AgentId, Envelope, SessionId } from "../../../src/protocol/index.ts";
import {
  agentOf,
  emptyView,
  foldTranscript,
  dropTranscript,
  isLive,
  leadOf,
  restoreTranscript,
  reduce,
  type SessionView,
} from "../../../src/view/index.ts";
import type { DashboardState, ViewedTranscript } from "./dashboard-state.ts";
import { emptySessionFolds, reduceSessionFolds } from "./session-folds.ts";

/** Folds new envelopes, each into the view of its session. All folds ignore envelopes that were seen before. */
export function foldEnvelopes(state: DashboardState, envelopes: readonly Envelope[]): DashboardState {
  if (envelopes.length === 0) return state;
  const views = new Map(state.views);
  const folds = new Map(state.folds);
  const streamed: Envelope[] = [];
  for (const envelope of envelopes) {
    const before = views.get(envelope.session) ?? emptyView;
    const known = agentOf(before, envelope.agent);
    const isStored = !isLive(envelope.event);
    if (isStored && known && envelope.seq <= known.seq) continue;
    let after = reduce(before, envelope);
    if (!known && !isKept(state, after, envelope)) after = dropTranscript(after, envelope.agent);
    if (isStored && known?.isForgotten && isViewedTranscript(state, after, envelope)) streamed.push(envelope);
    if (after !== before) views.set(envelope.session, after);
    folds.set(envelope.session, reduceSessionFolds(folds.get(envelope.session) ?? emptySessionFolds, envelope));
  }
  const { viewedTranscript: looking } = state;
  const folded =
    looking && streamed.length > 0 ? { ...looking, streamed: [...looking.streamed, ...streamed] } : looking;
  return { ...state, views, folds, viewedTranscript: folded };
}

/** Opens an agent's transcript and drops the previous one. */
export function openTranscript(state: DashboardState, session: SessionId, agent: AgentId | undefined): DashboardState {
  const { viewedTranscript: looking } = state;
  if (looking?.session === session && looking.agent === agent) return state;
  const away = closeTranscript(state);
  const looks = state.transcriptRequests + 1;
  return {
    ...away,
    transcriptRequests: looks,
    viewedTranscript: { request: looks, session, agent, streamed: [], problem: undefined },
  };
}

export function closeTranscript(state: DashboardState): DashboardState {
  const { viewedTranscript: looking } = state;
  if (!looking) return state;
  const view = state.replayAt === undefined ? state.views.get(looking.session) : undefined;
  const id = withViewedTranscript(state, looking);
  const views = view && id ? new Map(state.views).set(looking.session, dropTranscript(view, id)) : state.views;
  return { ...state, views, viewedTranscript: undefined };
}

/** The agent in view, once it is known. */
export function withViewedTranscript(
  state: Pick<DashboardState, "views">,
  looking: ViewedTranscript,
): AgentId | undefined {
  if (looking.agent !== undefined) return looking.agent;
  const view = state.views.get(looking.session);
  return view && leadOf(view)?.id;
}

/** Puts the stored transcript of a request before the events that arrived since. */
export function transcriptLoaded(state: DashboardState, look: number, stored: readonly Envelope[]): DashboardState {
  const { viewedTranscript: looking } = state;
  const view = looking && state.views.get(looking.session);
  const id = looking && withViewedTranscript(state, looking);
  const agent = view && id && agentOf(view, id);
  if (looking?.request !== look || !agent) return state;
  const upTo = agent.seq;
  const whole = foldTranscript([...stored, ...looking.streamed].filter(({ seq }) => seq <= upTo));
  const views = new Map(state.views).set(looking.session, restoreTranscript(view, whole ?? agent));
  return { ...state, views, viewedTranscript: { ...looking, streamed: [], problem: undefined } };
}

export function transcriptFailed(state: DashboardState, look: number, problem: string): DashboardState {
  const { viewedTranscript: looking } = state;
  if (looking?.request !== look) return state;
  return { ...state, viewedTranscript: { ...looking, problem } };
}

/** A replay keeps all transcripts. */
const isKept = (state: DashboardState, view: SessionView, envelope: Envelope): boolean =>
  state.replayAt !== undefined || isViewedTranscript(state, view, envelope);

function isViewedTranscript(
  { viewedTranscript: looking }: DashboardState,
  view: SessionView,
  { session, agent }: Envelope,
): boolean {
  if (looking?.session !== session) return false;
  return looking.agent === undefined ? leadOf(view)?.id === agent : looking.agent === agent;
}
