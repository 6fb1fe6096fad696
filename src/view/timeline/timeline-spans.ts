import type { CallId, EventId, RequestId, ToolOutcomeKind } from "../../protocol/index.ts";
import { append, type ChunkedList, emptyList, itemsOf, toArray } from "../lists/chunked-list.ts";

/** `model` is time without an answer: before a request, and requests that failed or were lost. */
export type SpanKind = "thinking" | "tool" | "permission" | "model" | "idle" | "stopped";

/** One activity of an agent. Times are milliseconds since 1970; texts are unfiltered and cut. */
export interface Span {
  readonly kind: SpanKind;
  readonly from: number;
  /** Undefined while it continues. */
  readonly to: number | undefined;
  /** Parallel calls have different rows, each the lowest free one. */
  readonly row: number;
  /** The tool, the model, or the reason why it is idle. */
  readonly name: string;
  readonly title: string;
  /** The event in the agent's log that began it; for an answer, the event that contains it. */
  readonly event: EventId;
  readonly seq: number;
  readonly callId?: CallId;
  readonly requestId?: RequestId;
  readonly outcome?: ToolOutcomeKind;
  /** Number of spans merged into this one; its kind is that of the longest. */
  readonly merged?: number;
  /** Number of calls among the merged spans. */
  readonly calls?: number;
  /** The duration of the longest merged span. */
  readonly longest?: number;
}

export interface ClosedSpan extends Span {
  readonly to: number;
}

/**
 * Maximum number of spans in a lane. At this number the older ones are merged by equal parts of time, so that a long
 * lane keeps its shape, and the newest ones stay exact.
 */
export const maxSpans = 2048;
const exact = maxSpans >>> 2;
const buckets = maxSpans >>> 1;

export function addSpan(spans: ChunkedList<ClosedSpan>, span: ClosedSpan): ChunkedList<ClosedSpan> {
  const grown = append(spans, span);
  return grown.length < maxSpans ? grown : mergeShortSpans(toArray(grown));
}

function mergeShortSpans(spans: readonly ClosedSpan[]): ChunkedList<ClosedSpan> {
  const old = spans.slice(0, -exact);
  const first = old.reduce((least, { from }) => Math.min(least, from), Infinity);
  const width = Math.max(1, ((old.at(-1)?.to ?? first) - first) / buckets);
  const merged: ClosedSpan[] = [];
  let bucket = -1;
  for (const span of old) {
    const at = Math.floor((span.to - first) / width);
    const before = merged.at(-1);
    if (before && at === bucket) merged[merged.length - 1] = mergedSpan(before, span, merged.at(-2)?.to ?? first);
    else merged.push(before?.merged === undefined ? span : { ...span, from: Math.max(span.from, before.to) });
    bucket = at;
  }
  let list: ChunkedList<ClosedSpan> = emptyList();
  for (const span of [...merged, ...spans.slice(-exact)]) list = append(list, span);
  return list;
}

/** Has the kind of the longest of its spans, and begins after the span before it. */
function mergedSpan(first: ClosedSpan, second: ClosedSpan, earliest: number): ClosedSpan {
  const from = Math.max(earliest, Math.min(first.from, second.from));
  const to = Math.max(from, first.to, second.to);
  const longest = (span: ClosedSpan) => span.longest ?? span.to - span.from;
  const { kind, name, title, event, seq } = longest(second) > longest(first) ? second : first;
  const merged = (first.merged ?? 1) + (second.merged ?? 1);
  const calls = callsIn(first) + callsIn(second);
  return {
    kind,
    name,
    title,
    event,
    seq,
    from,
    to,
    row: 0,
    merged,
    calls,
    longest: Math.max(longest(first), longest(second)),
  };
}

const callsIn = ({ kind, calls }: ClosedSpan): number => calls ?? (kind === "tool" ? 1 : 0);

/** A period in which the session was not running. Without an end, it is still not running. */
export interface ClosedPeriod {
  readonly from: number;
  readonly to: number | undefined;
}

/**
 * Removes the closed periods, given in order, from a span. Work ends with its process; idle time continues after the
 * period.
 */
export function* openParts(
  span: ClosedSpan,
  closedPeriods: readonly ClosedPeriod[],
): Generator<ClosedSpan, void, undefined> {
  // A merged span has parts on both sides of the period.
  const isContinued = span.kind === "idle" || span.kind === "stopped" || span.merged !== undefined;
  let from = span.from;
  for (const closedPeriod of closedPeriods) {
    if (closedPeriod.from >= span.to || (closedPeriod.to ?? Infinity) <= from) continue;
    if (closedPeriod.from > from) yield { ...span, from, to: closedPeriod.from };
    if (!isContinued || closedPeriod.to === undefined || closedPeriod.to >= span.to) return;
    from = Math.max(from, closedPeriod.to);
  }
  yield from === span.from ? span : { ...span, from };
}

export interface Period {
  readonly from: number;
  readonly to: number;
}

/**
 * The spans that touch a period. They are stored in the order of their ends, so that older ones are skipped quickly.
 */
export function* spansIn(spans: ChunkedList<ClosedSpan>, { from, to }: Period): Generator<ClosedSpan, void, undefined> {
  for (const span of itemsOf(spans, firstEndingAt(spans, from))) if (span.from <= to) yield span;
}

function firstEndingAt(spans: ChunkedList<ClosedSpan>, time: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [span] = itemsOf(spans, middle);
    if (span && span.to < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
