import type { AgentId, SessionId } from "../../../../src/protocol/index.ts";
import {
  type ClosedSpan,
  type Lane,
  laneSpans,
  type Period,
  stoppedSpan,
  stoppedSpans,
  type Timeline,
  valuesOf,
} from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../state/roster.ts";

/** A lane and its agent. */
export interface LaneRow {
  readonly timeline: Timeline;
  readonly lane: Lane;
  readonly entry: RosterEntry | undefined;
  readonly agent: AgentId;
  readonly session: SessionId;
  /** Set if its session is not running: its last activity does not continue. */
  readonly until: number | undefined;
}

/** All agents with activity, in the order of the agent list. */
export function laneRows(timelines: readonly Timeline[], roster: readonly RosterEntry[]): readonly LaneRow[] {
  const places = new Map(roster.flatMap((entry, index) => (entry.agent ? [[entry.agent.id, index] as const] : [])));
  const rows = timelines.flatMap((timeline) =>
    [...valuesOf(timeline.lanes)].map((lane): LaneRow => {
      const entry = roster[places.get(lane.agent) ?? -1];
      const hasEnded = entry !== undefined && (entry.state === "ended" || entry.state === "stopped" || isLost(entry));
      const until = hasEnded && entry.agent?.status.kind !== "stopped" ? lane.at : undefined;
      return { timeline, lane, entry, agent: lane.agent, session: lane.session, until };
    }),
  );
  const rank = ({ agent }: LaneRow) => places.get(agent) ?? Infinity;
  return rows.sort((a, b) => (rank(a) === rank(b) ? a.lane.from - b.lane.from : rank(a) - rank(b)));
}

/** A member that failed in its work still runs. One that the team has lost does not. */
const isLost = ({ member }: RosterEntry): boolean => member?.ended !== undefined;

/** The spans to draw of a row: its activity, and the time without a process. The open part of a turn that waits for the model is drawn as waiting. */
export function* rowSpans(row: LaneRow, period: Period, now: number): Generator<ClosedSpan, void, undefined> {
  const { timeline, lane, entry, until } = row;
  const waits = entry?.state === "waiting" ? lane.base?.event : undefined;
  for (const span of laneSpans(timeline, lane, { ...period, now: until ?? now })) {
    yield waits !== undefined && span.event === waits ? { ...span, kind: "model" } : span;
  }
  yield* stoppedSpans(timeline, lane, Math.max(until ?? now, lane.at));
  const isOpen = (timeline.closedPeriods.get(lane.session) ?? []).every(({ to }) => to !== undefined);
  if (until !== undefined && until < now && isOpen) yield { ...stoppedSpan(lane), from: until, to: now };
}

/** The vertical position of a span in its lane. */
export interface PlacedSpan {
  readonly span: ClosedSpan;
  readonly top: number;
  readonly height: number;
}

export const [laneHeight, axisHeight, lanePad] = [44, 26, 8];

/** Parallel calls share the height of the lane; other spans use all of it, and idle time is a line. */
export function placeSpans(spans: Iterable<ClosedSpan>): readonly PlacedSpan[] {
  const all = [...spans];
  const calls = all.filter(isCall).sort((a, b) => a.from - b.from);
  const rows = new Map<ClosedSpan, number>();
  let [together, end, most]: [ClosedSpan[], number, number] = [[], -Infinity, 1];
  const settle = () => {
    for (const span of together) rows.set(span, most);
  };
  for (const span of calls) {
    if (span.from >= end) {
      settle();
      [together, most] = [[], 1];
    }
    together.push(span);
    end = Math.max(end, span.to);
    most = Math.min(maxRows, Math.max(most, span.row + 1));
  }
  settle();
  return all.map((span) => ({ span, ...bandOf(span, rows.get(span) ?? 1) }));
}

const maxRows = 8;
const isCall = ({ kind }: ClosedSpan): boolean => kind === "tool" || kind === "permission";

function bandOf({ kind, row }: ClosedSpan, rows: number): { top: number; height: number } {
  const full = laneHeight - 2 * lanePad;
  if (kind === "idle" || kind === "stopped") return { top: lanePad + full / 2 - 1.5, height: 3 };
  const height = full / rows;
  return { top: lanePad + Math.min(row, rows - 1) * height, height: height - (rows > 1 ? 1 : 0) };
}

/** The span at a position of a lane; for small spans, the nearest within a few pixels. */
export function spanAt(
  spans: readonly PlacedSpan[],
  at: { time: number; y: number; slack: number },
): ClosedSpan | undefined {
  let best: { span: ClosedSpan; far: number } | undefined;
  for (const { span, top, height } of spans) {
    const beside = Math.max(0, span.from - at.time, at.time - span.to);
    if (beside > at.slack) continue;
    const isRest = span.kind === "idle" || span.kind === "stopped";
    const above = isRest ? 2 : Math.max(0, top - at.y, at.y - top - height);
    const far = (beside / at.slack) * 8 + above;
    if (!best || far < best.far) best = { span, far };
  }
  return best?.span;
}
