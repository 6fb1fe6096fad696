import type { AgentId, SessionId } from "../../../../src/protocol/index.ts";
import { type ClosedSpan, type Lane, laneSpans, type Period, type Timeline, valuesOf } from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../state/roster.ts";

/** A lane with whose it is. */
export interface LaneRow {
  readonly timeline: Timeline;
  readonly lane: Lane;
  readonly entry: RosterEntry | undefined;
  readonly agent: AgentId;
  readonly session: SessionId;
  /** Its session is not running: what it was at does not go on. */
  readonly until: number | undefined;
}

/** Everybody who has done something, in the order in which the page lists them. */
export function laneRows(timelines: readonly Timeline[], roster: readonly RosterEntry[]): readonly LaneRow[] {
  const places = new Map(roster.flatMap((entry, index) => (entry.agent ? [[entry.agent.id, index] as const] : [])));
  const rows = timelines.flatMap((timeline) =>
    [...valuesOf(timeline.lanes)].map((lane): LaneRow => {
      const entry = roster[places.get(lane.agent) ?? -1];
      const hasEnded = entry !== undefined && (entry.state === "ended" || entry.state === "stopped");
      const until = hasEnded && entry.agent?.status.kind !== "stopped" ? lane.at : undefined;
      return { timeline, lane, entry, agent: lane.agent, session: lane.session, until };
    }),
  );
  const rank = ({ agent }: LaneRow) => places.get(agent) ?? Infinity;
  return rows.sort((a, b) => (rank(a) === rank(b) ? a.lane.from - b.lane.from : rank(a) - rank(b)));
}

/** What is drawn of a row. Of a turn that waits for the model, the part under way is drawn as such. */
export function* rowSpans(row: LaneRow, period: Period, now: number): Generator<ClosedSpan, void, undefined> {
  const { timeline, lane, entry, until } = row;
  const waits = entry?.state === "waiting" ? lane.base?.event : undefined;
  for (const span of laneSpans(timeline, lane, { ...period, now: until ?? now })) {
    yield waits !== undefined && span.event === waits ? { ...span, kind: "model" } : span;
  }
}

/** Where in a lane a span is drawn: rows share its height. */
export interface Band {
  readonly top: number;
  readonly height: number;
}

export const [laneHeight, axisHeight, lanePad] = [36, 26, 5];

export function bandOf({ kind, row }: ClosedSpan, rows: number): Band {
  const full = laneHeight - 2 * lanePad;
  if (kind === "idle" || kind === "stopped") return { top: lanePad + full / 2 - 1.5, height: 3 };
  const height = Math.max(3, full / rows);
  return { top: lanePad + Math.min(row, rows - 1) * height, height: Math.max(2, height - (rows > 1 ? 1 : 0)) };
}

/** How many rows the spans of a lane need in what is shown. */
export function rowsNeeded(spans: readonly ClosedSpan[]): number {
  return Math.min(8, spans.reduce((most, { row }) => Math.max(most, row + 1), 1));
}

/** The span at a place of a lane; of small ones the nearest within a few pixels. */
export function spanAt(spans: readonly ClosedSpan[], at: { time: number; y: number; slack: number }): ClosedSpan | undefined {
  const rows = rowsNeeded(spans);
  let best: { span: ClosedSpan; far: number } | undefined;
  for (const span of spans) {
    const beside = Math.max(0, span.from - at.time, at.time - span.to);
    if (beside > at.slack) continue;
    const isRest = span.kind === "idle" || span.kind === "stopped";
    const { top, height } = bandOf(span, rows);
    const above = isRest ? 4 : Math.max(0, top - at.y, at.y - top - height);
    const far = (beside / at.slack) * 4 + above + Math.min(1, (span.to - span.from) / (at.slack * 1000));
    if (!best || far < best.far) best = { span, far };
  }
  return best?.span;
}
