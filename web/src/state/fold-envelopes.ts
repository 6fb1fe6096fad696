import type { AgentId, Envelope, SessionId } from "../../../src/protocol/index.ts";
import {
  agentOf,
  emptyView,
  foldTranscript,
  forgetTranscript,
  isLive,
  leadOf,
  recallTranscript,
  reduce,
  type SessionView,
} from "../../../src/view/index.ts";
import type { DashboardState, Looking } from "./dashboard-state.ts";
import { emptyFolds, reduceFolds } from "./folds.ts";

/** What happened next, each in the view of its own session. What has been seen is passed over, by every fold. */
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
    if (!known && !keeps(state, after, envelope)) after = forgetTranscript(after, envelope.agent);
    if (isStored && known?.isForgotten && isLookedAt(state, after, envelope)) streamed.push(envelope);
    if (after !== before) views.set(envelope.session, after);
    folds.set(envelope.session, reduceFolds(folds.get(envelope.session) ?? emptyFolds, envelope));
  }
  const { looking } = state;
  const heard = looking && streamed.length > 0 ? { ...looking, streamed: [...looking.streamed, ...streamed] } : looking;
  return { ...state, views, folds, looking: heard };
}

/** Turns to an agent: whoever was looked at before is forgotten. */
export function lookAt(state: DashboardState, session: SessionId, agent: AgentId | undefined): DashboardState {
  const { looking } = state;
  if (looking?.session === session && looking.agent === agent) return state;
  const away = lookAway(state);
  const looks = state.looks + 1;
  return { ...away, looks, looking: { look: looks, session, agent, streamed: [], problem: undefined } };
}

export function lookAway(state: DashboardState): DashboardState {
  const { looking } = state;
  if (!looking) return state;
  const view = state.replayAt === undefined ? state.views.get(looking.session) : undefined;
  const id = lookedAt(state, looking);
  const views = view && id ? new Map(state.views).set(looking.session, forgetTranscript(view, id)) : state.views;
  return { ...state, views, looking: undefined };
}

/** The agent that is looked at, once it is known who that is. */
export function lookedAt(state: Pick<DashboardState, "views">, looking: Looking): AgentId | undefined {
  if (looking.agent !== undefined) return looking.agent;
  const view = state.views.get(looking.session);
  return view && leadOf(view)?.id;
}

/** Puts the stored transcript that was asked for at a look before what came since. */
export function transcriptCame(state: DashboardState, look: number, stored: readonly Envelope[]): DashboardState {
  const { looking } = state;
  const view = looking && state.views.get(looking.session);
  const id = looking && lookedAt(state, looking);
  const agent = view && id && agentOf(view, id);
  if (looking?.look !== look || !agent) return state;
  const upTo = agent.seq;
  const whole = foldTranscript([...stored, ...looking.streamed].filter(({ seq }) => seq <= upTo));
  const views = new Map(state.views).set(looking.session, recallTranscript(view, whole ?? agent));
  return { ...state, views, looking: { ...looking, streamed: [], problem: undefined } };
}

export function transcriptFailed(state: DashboardState, look: number, problem: string): DashboardState {
  const { looking } = state;
  if (looking?.look !== look) return state;
  return { ...state, looking: { ...looking, problem } };
}

/** A replay has all of it at hand. */
const keeps = (state: DashboardState, view: SessionView, envelope: Envelope): boolean =>
  state.replayAt !== undefined || isLookedAt(state, view, envelope);

function isLookedAt({ looking }: DashboardState, view: SessionView, { session, agent }: Envelope): boolean {
  if (looking?.session !== session) return false;
  return looking.agent === undefined ? leadOf(view)?.id === agent : looking.agent === agent;
}
