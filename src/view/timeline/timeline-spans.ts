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
}

export interface ClosedSpan extends Span {
  readonly to: number;
}

/**
 * Maximum number of spans in a lane. At this number pairs of the older half are merged, so that old activity becomes
 * coarse.
 */
export const maxSpans = 2048;

export function addSpan(spans: ChunkedList<ClosedSpan>, span: ClosedSpan): ChunkedList<ClosedSpan> {
  const grown = append(spans, span);
  return grown.length < maxSpans ? grown : mergeShortSpans(toArray(grown));
}

function mergeShortSpans(spans: readonly ClosedSpan[]): ChunkedList<ClosedSpan> {
  const half = spans.length >>> 1;
  let list: ChunkedList<ClosedSpan> = emptyList();
  let end = -Infinity;
  for (let index = 0; index < half; index += 2) {
    const [first, second = first] = spans.slice(index, Math.min(index + 2, half));
    if (!first || !second) break;
    const merged = mergedSpan(first, second, { from: end, to: spans[index + 2]?.from ?? Infinity });
    end = merged.to;
    list = append(list, merged);
  }
  for (const span of spans.slice(half)) list = append(list, span);
  return list;
}

/** Stays between its neighbours, so that merged spans do not overlap and stay in order. */
function mergedSpan(first: ClosedSpan, second: ClosedSpan, room: Period): ClosedSpan {
  const from = Math.max(room.from, Math.min(first.from, second.from));
  const to = Math.max(from, Math.min(Math.max(first.to, second.to), room.to));
  const { kind, name, title, event, seq } = second.to - second.from > first.to - first.from ? second : first;
  const merged = (first.merged ?? 1) + (second === first ? 0 : (second.merged ?? 1));
  return { kind, name, title, event, seq, from, to, row: 0, merged };
}

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
  const isContinued = span.kind === "idle" || span.kind === "stopped";
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
