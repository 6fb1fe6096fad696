import type { AgentId, Envelope, SessionId } from "../../protocol/index.ts";
import { emptyKeyed, type KeyedList, valueAt, valuesOf, withValue } from "../lists/keyed-list.ts";
import { isLive } from "../session/reduce.ts";
import { type Lane, newLane, reduceLane } from "./timeline-lane.ts";
import { type ClosedPeriod, type ClosedSpan, type Period, openParts, spansIn } from "./timeline-spans.ts";

/**
 * What agents did when: a lane for each. Folded from stored events alone, so that a replay shows the same; what only eyes that
 * were there have seen of the turn under way is in its draft. Bounded: what is old in a long lane is drawn together.
 */
export interface Timeline {
  /** In the order in which they were first heard of. */
  readonly lanes: KeyedList<AgentId, Lane>;
  /** When a session was not running. */
  readonly closedPeriods: ReadonlyMap<SessionId, readonly ClosedPeriod[]>;
}

export const emptyTimeline: Timeline = { lanes: emptyKeyed(), closedPeriods: new Map() };

/** Pure, and the same object back where there is nothing new. Stored envelopes that come twice count once. */
export function reduceTimeline(timeline: Timeline, envelope: Envelope): Timeline {
  if (isLive(envelope.event)) return timeline;
  const { agent, seq } = envelope;
  const known = valueAt(timeline.lanes, agent);
  if (known && seq <= known.seq) return timeline;
  const time = Date.parse(envelope.at);
  const before = known ?? newLane(envelope, time);
  // A clock that was set back does not turn a lane around.
  const lane = reduceLane({ ...before, seq, at: Math.max(before.at, time) }, envelope);
  const closedPeriods = reduceClosedPeriods(timeline.closedPeriods, envelope, { before: before.at, now: lane.at });
  return { closedPeriods, lanes: withValue(timeline.lanes, agent, lane) };
}

/** What to draw of a lane in a period: work only while its session ran, and what goes on until `now`. */
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

/** From the first event to the last; undefined of nothing. */
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

/**
 * A process that ended without a word was last heard of when the session's own agent last did something, which is as much as
 * its log says.
 */
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

/** When the agent of an event was last heard of before it, and the time of the event. */
interface SeenTimes {
  readonly before: number;
  readonly now: number;
}

const maxClosedPeriods = 200;
