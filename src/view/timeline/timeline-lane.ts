import type { AgentId, CallId, Envelope, Event, SessionId } from "../../protocol/index.ts";
import { type ChunkedList, emptyList } from "../lists/chunked-list.ts";
import { addSpan, type ClosedSpan, type Span } from "./timeline-spans.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** The activity of one agent over time. */
export interface Lane {
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly from: number;
  /** The time of the last event. */
  readonly at: number;
  readonly seq: number;
  /** Past spans, in the order of their ends. */
  readonly spans: ChunkedList<ClosedSpan>;
  /** Its current activity other than calls; undefined between activities. */
  readonly base: Span | undefined;
  /** Calls that run or wait for a permission. */
  readonly calls: ReadonlyMap<CallId, Span>;
}

export function newLane({ agent, session }: Envelope, at: number): Lane {
  return { agent, session, from: at, at, seq: 0, spans: emptyList(), base: undefined, calls: new Map() };
}

/** Applies a stored event to the lane of its agent. `lane.at` is already the event's time. */
export function reduceLane(lane: Lane, envelope: Envelope): Lane {
  const step = steps[envelope.event.type] as Step<Event> | undefined;
  return step ? step(lane, envelope.event, envelope) : lane;
}

type Step<E> = (lane: Lane, event: E, envelope: Envelope) => Lane;

const steps: { readonly [T in Event["type"]]?: Step<Of<T>> } = {
  "session.opened": (lane, _, envelope) => beginSpan(endOpenSpans(lane), spanOf(envelope, "idle")),
  "session.closed": (lane, { reason }, envelope) => beginSpan(endOpenSpans(lane), spanOf(envelope, "idle", reason)),
  "agent.spawned": (lane, _, envelope) => (lane.base ? lane : beginSpan(lane, spanOf(envelope, "idle"))),
  "agent.idle": (lane, { reason, detail = "" }, envelope) =>
    beginSpan(endOpenSpans(lane), { ...spanOf(envelope, "idle", reason), title: shortText(detail) }),
  "agent.stopped": (lane, { outcome, detail = "" }, envelope) =>
    beginSpan(endOpenSpans(lane), { ...spanOf(envelope, "stopped", outcome), title: shortText(detail) }),
  "prompt.promoted": (lane, _, envelope) => (isIdleLane(lane) ? beginSpan(lane, spanOf(envelope, "model")) : lane),
  "turn.started": (lane, { model }, envelope) => beginSpan(endOpenSpans(lane), spanOf(envelope, "thinking", model)),
  /** A lost attempt that was paid for: the model is asked again. */
  "cost.recorded": (lane, { purpose, model }, envelope) =>
    purpose === "lost" && lane.base?.kind === "thinking"
      ? beginSpan(endBase(lane, { kind: "model", title: "the answer was lost" }), spanOf(envelope, "thinking", model))
      : lane,
  "turn.ended": (lane, { parts }, envelope) => {
    const ended = endBase(lane, { event: envelope.id, seq: envelope.seq });
    return parts.some(({ type }) => type === "tool_call") ? ended : beginSpan(ended, spanOf(envelope, "model"));
  },
  "turn.failed": (lane, { failure }, envelope) => {
    const title = shortText(`${failure.kind}: ${failure.message}`);
    const ended = endBase(lane, { kind: "model", title, event: envelope.id, seq: envelope.seq });
    return beginSpan(ended, spanOf(envelope, "model"));
  },
  /** A question that a member asks through its lead is part of the member's lane. */
  "permission.asked": (lane, { member, callId, requestId, tool, question }, envelope) =>
    member
      ? lane
      : beginCall(lane, callId, { ...spanOf(envelope, "permission", tool), title: shortText(question), requestId }),
  "permission.settled": (lane, { requestId }) => {
    const [asked] = [...lane.calls].filter(([, span]) => span.requestId === requestId);
    return asked ? endCall(lane, asked[0], {}) : lane;
  },
  "tool.called": (lane, { callId, name, title }, envelope) =>
    beginCall(lane, callId, { ...spanOf(envelope, "tool", name), title: shortText(title) }),
  "tool.settled": (lane, { callId, outcome }, envelope) => {
    const settled = endCall(lane, callId, { outcome });
    return settled !== lane && !settled.base ? beginSpan(settled, spanOf(envelope, "model")) : settled;
  },
};

/** The caller sets the start time. */
function spanOf({ id, seq }: Envelope, kind: Span["kind"], name = ""): Span {
  return { kind, from: 0, to: undefined, row: 0, name: shortText(name), title: "", event: id, seq };
}

const isIdleLane = ({ base, calls }: Lane): boolean =>
  calls.size === 0 && (!base || base.kind === "idle" || base.kind === "stopped");

/** Ends all open spans. */
function endOpenSpans(lane: Lane): Lane {
  let after = lane;
  for (const callId of lane.calls.keys()) after = endCall(after, callId, {});
  return endBase(after, {});
}

/** Nothing begins while calls are open: they are the activity. */
function beginSpan(lane: Lane, span: Span): Lane {
  const ended = endBase(lane, {});
  return ended.calls.size > 0 ? ended : { ...ended, base: { ...span, from: lane.at } };
}

function beginCall(lane: Lane, callId: CallId, span: Span): Lane {
  const free = endBase(endCall(lane, callId, {}), {});
  const rows = new Set([...free.calls.values()].map(({ row }) => row));
  let row = 0;
  while (rows.has(row)) row += 1;
  return { ...free, calls: new Map(free.calls).set(callId, { ...span, from: lane.at, row, callId }) };
}

function endBase(lane: Lane, change: Partial<Span>): Lane {
  return lane.base ? { ...close(lane, { ...lane.base, ...change }), base: undefined } : lane;
}

function endCall(lane: Lane, callId: CallId, change: Partial<Span>): Lane {
  const span = lane.calls.get(callId);
  if (!span) return lane;
  const calls = new Map(lane.calls);
  calls.delete(callId);
  return { ...close(lane, { ...span, ...change }), calls };
}

/** Spans without duration are not drawn, unless the user may want to click them. */
function close(lane: Lane, span: Span): Lane {
  const isNothing = span.from === lane.at && span.kind !== "tool" && span.kind !== "permission";
  return isNothing ? lane : { ...lane, spans: addSpan(lane.spans, { ...span, to: lane.at }) };
}

const shortText = (text: string): string => (text.length > 160 ? text.slice(0, 160) : text);
