import type { AgentId, Envelope, EventId, SessionId } from "../../protocol/index.ts";
import { itemAt } from "../lists/chunked-list.ts";
import { emptyKeyed, type KeyedList, valueAt, valuesOf, withValue } from "../lists/keyed-list.ts";
import { isLive } from "../session/reduce.ts";
import { type Lane, newLane, reduceLane } from "./timeline-lane.ts";
import { emptyMarks, type Marks, reduceMarks } from "./timeline-marks.ts";
import { type ClosedPeriod, type ClosedSpan, type Period, openParts, spansIn } from "./timeline-spans.ts";

/**
 * The activity of agents over time, one lane for each. Folded only from stored events, so that a replay shows the same.
 * Live details of the current turn are in its draft. Bounded: old activity in a long lane is merged.
 */
export interface Timeline {
  /** In order of first appearance. */
  readonly lanes: KeyedList<AgentId, Lane>;
  /** The periods in which a session was not running. */
  readonly closedPeriods: ReadonlyMap<SessionId, readonly ClosedPeriod[]>;
  readonly marks: Marks;
}

export const emptyTimeline: Timeline = { lanes: emptyKeyed(), closedPeriods: new Map(), marks: emptyMarks };

/** Pure. Returns the same object if nothing is new. Ignores duplicate stored envelopes. */
export function reduceTimeline(timeline: Timeline, envelope: Envelope): Timeline {
  if (isLive(envelope.event)) return timeline;
  const { agent, seq } = envelope;
  const known = valueAt(timeline.lanes, agent);
  if (known && seq <= known.seq) return timeline;
  const time = Date.parse(envelope.at);
  const before = known ?? newLane(envelope, time);
  // If the clock is set back, the lane does not go backwards.
  const lane = reduceLane({ ...before, seq, at: Math.max(before.at, time) }, envelope);
  const closedPeriods = reduceClosedPeriods(timeline.closedPeriods, envelope, { before: before.at, now: lane.at });
  const last = timeline.closedPeriods.get(envelope.session)?.at(-1);
  const isClosed = last !== undefined && last.to === undefined;
  const marks = reduceMarks(timeline.marks, envelope, { now: lane.at, last: before.at, isClosed });
  return { closedPeriods, marks, lanes: withValue(timeline.lanes, agent, lane) };
}

/** The periods without a process, of a lane. Without an end, they last until `now`. */
export function* stoppedSpans({ closedPeriods }: Timeline, lane: Lane, now: number): Generator<ClosedSpan> {
  for (const { from, to = now } of closedPeriods.get(lane.session) ?? [])
    if (to > from && to > lane.from) yield { ...stoppedSpan(lane), from: Math.max(from, lane.from), to };
}

/** Nothing runs: the agent has no process. The caller sets the times. */
export const stoppedSpan = ({ base, spans }: Lane): ClosedSpan => {
  const last = base ?? itemAt(spans, spans.length - 1);
  const place = { event: last?.event ?? ("" as EventId), seq: last?.seq ?? 0, row: 0, from: 0, to: 0 };
  return { kind: "stopped", name: "no process", title: "", ...place };
};

/** The spans of a lane to draw in a period: work only while its session ran, and the current activity until `now`. */
export function* laneSpans(timeline: Timeline, lane: Lane, period: Period & { now: number }): Generator<ClosedSpan> {
  const closedPeriods = timeline.closedPeriods.get(lane.session) ?? [];
  for (const span of spansIn(lane.spans, period)) yield* within(period, openParts(span, closedPeriods));
  for (const span of [...(lane.base ? [lane.base] : []), ...lane.calls.values()]) {
    const to = Math.max(span.from, period.now);
    yield* within(period, openParts({ ...span, to }, closedPeriods));
  }
}

function* within({ from, to }: Period, spans: Iterable<ClosedSpan>): Generator<ClosedSpan, void, undefined> {
  for (const span of spans) if (span.to >= from && span.from <= to) yield span;
}

/** From the first event to the last; undefined without events. */
export function timelinePeriod(timelines: Iterable<Timeline>): Period | undefined {
  let [from, to] = [Infinity, -Infinity];
  for (const { lanes } of timelines) {
    for (const lane of valuesOf(lanes)) {
      from = Math.min(from, lane.from);
      to = Math.max(to, lane.at);
    }
  }
  return from <= to ? { from, to } : undefined;
}

/** If a process ended without an event, its last sign is the last event of the session's own agent in the log. */
function reduceClosedPeriods(
  closedPeriods: Timeline["closedPeriods"],
  { session, event }: Envelope,
  seen: SeenTimes,
): Timeline["closedPeriods"] {
  if (event.type !== "session.closed" && !(event.type === "session.opened" && event.resumed)) return closedPeriods;
  const known = closedPeriods.get(session) ?? [];
  const last = known.at(-1);
  const isClosed = last !== undefined && last.to === undefined;
  if (event.type === "session.closed")
    return isClosed
      ? closedPeriods
      : new Map(closedPeriods).set(session, [...known, { from: seen.now, to: undefined }].slice(-maxClosedPeriods));
  const ended = isClosed
    ? [...known.slice(0, -1), { ...last, to: seen.now }]
    : [...known, { from: seen.before, to: seen.now }];
  return new Map(closedPeriods).set(session, ended.slice(-maxClosedPeriods));
}

/** The time of the agent's previous event, and of this event. */
interface SeenTimes {
  readonly before: number;
  readonly now: number;
}

const maxClosedPeriods = 200;
