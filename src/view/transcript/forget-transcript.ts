import type { AgentId, CallId, Envelope, Event } from "../../protocol/index.ts";
import { type AgentView, newAgent } from "../session/agent-view.ts";
import { append, type ChunkedList, emptyList, itemAt, replaceAt } from "../lists/chunked-list.ts";
import { reduceAgent } from "../session/reduce-agent.ts";
import { agentOf, leadOf, type SessionView } from "../session/session-view.ts";
import type { TranscriptItem } from "./transcript-item.ts";

/**
 * Drops an agent's transcript, and future additions to it. Its status, cost, questions and current activity stay. The
 * log still has the transcript; `restoreTranscript` brings it back.
 */
export function dropTranscript(view: SessionView, id: AgentId): SessionView {
  const agent = agentOf(view, id);
  if (!agent || agent.isForgotten) return view;
  return withAgent(view, keepOpenCalls({ ...agent, isForgotten: true }));
}

/** Drops all transcripts except that of the session's own agent. */
export function dropOtherTranscripts(view: SessionView, isKept: (id: AgentId) => boolean = () => false): SessionView {
  const lead = leadOf(view)?.id;
  let after = view;
  for (const id of view.agentIndex.keys()) if (id !== lead && !isKept(id)) after = dropTranscript(after, id);
  return after;
}

/**
 * Restores an agent's transcript, folded from its log. The fold must end at the same event as the view. The current
 * draft stays the view's own.
 */
export function restoreTranscript(view: SessionView, whole: AgentView): SessionView {
  const agent = agentOf(view, whole.id);
  if (!agent?.isForgotten) return view;
  const { transcript, openCalls } = withProgressOf(agent, whole);
  return withAgent(view, { ...agent, transcript, openCalls, isForgotten: false });
}

/**
 * Folds the transcript of one agent from its log; only events of `isTranscriptEvent` are needed. Returns undefined
 * without events. Ignores duplicate envelopes.
 */
export function foldTranscript(envelopes: Iterable<Envelope>): AgentView | undefined {
  let agent: AgentView | undefined;
  let last = 0;
  for (const envelope of envelopes) {
    const { seq, at, session, event } = envelope;
    agent ??= newAgent(envelope.agent, { type: event.type, at, session });
    if (seq <= last) continue;
    last = seq;
    if (isTranscriptEvent(event.type)) agent = reduceAgent(agent, envelope);
  }
  return agent;
}

/** True if events of this type appear in a transcript. */
export const isTranscriptEvent = (type: string): boolean => Object.hasOwn(seen, type);

const seen: { readonly [T in Event["type"]]?: true } = {
  "session.opened": true,
  "agent.spawned": true,
  "agent.idle": true,
  "agent.rewound": true,
  "agent.summarized": true,
  "agent.stopped": true,
  "context.compacted": true,
  "cost.recorded": true,
  "prompt.admitted": true,
  "prompt.promoted": true,
  "turn.ended": true,
  "turn.failed": true,
  "tool.called": true,
  "tool.settled": true,
  "notice.raised": true,
};

/**
 * Reduces the transcript of a forgotten agent to its open calls. Returns the same agent if there is nothing to drop.
 */
export function keepOpenCalls(agent: AgentView): AgentView {
  if (!agent.isForgotten || agent.transcript.length === agent.openCalls.size) return agent;
  let transcript: ChunkedList<TranscriptItem> = emptyList();
  const openCalls = new Map<CallId, number>();
  for (const [callId, index] of agent.openCalls) {
    const call = itemAt(agent.transcript, index);
    if (!call) continue;
    openCalls.set(callId, transcript.length);
    transcript = append(transcript, call);
  }
  return { ...agent, transcript, openCalls };
}

/** Progress of running calls is in no log. */
function withProgressOf(from: AgentView, whole: AgentView): AgentView {
  let { transcript } = whole;
  for (const [callId, index] of from.openCalls) {
    const [shown, at] = [itemAt(from.transcript, index), whole.openCalls.get(callId)];
    const call = at === undefined ? undefined : itemAt(transcript, at);
    if (shown?.kind !== "call" || call?.kind !== "call" || at === undefined || shown.progress === "") continue;
    transcript = replaceAt<TranscriptItem>(transcript, at, { ...call, progress: shown.progress });
  }
  return { ...whole, transcript };
}

function withAgent(view: SessionView, agent: AgentView): SessionView {
  const index = view.agentIndex.get(agent.id);
  return index === undefined ? view : { ...view, agents: replaceAt(view.agents, index, agent) };
}
