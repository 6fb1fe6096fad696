import type { ClosedSpan, Period } from "../../../../src/view/index.ts";
import { type LaneRow, rowSpans } from "./lane-rows.ts";

/** A marked span and its row. */
export interface Mark {
  readonly row: number;
  readonly span: ClosedSpan;
}

interface Step {
  readonly mark: Mark | undefined;
  /** An arrow key. */
  readonly key: string;
  readonly all: Period;
  /** The start time, and the time to stay near when the lane changes. */
  readonly at: number;
}

/** Moves between spans of a lane, or to the span at the same time in the next lane. Undefined if there is none. */
export function stepBetweenSpans(rows: readonly LaneRow[], { mark, key, all, at }: Step): Mark | undefined {
  const spansOf = (row: number): ClosedSpan[] => {
    const found = rows[row];
    return found ? [...rowSpans(found, all, all.to)].sort((a, b) => a.from - b.from || a.row - b.row) : [];
  };
  if (!mark) return nearest(spansOf(0), 0, at);
  if (key === "ArrowUp" || key === "ArrowDown") {
    const row = mark.row + (key === "ArrowUp" ? -1 : 1);
    return nearest(spansOf(row), row, mark.span.from);
  }
  const spans = spansOf(mark.row);
  const here = spans.findIndex(
    ({ event, kind, from }) => event === mark.span.event && kind === mark.span.kind && from === mark.span.from,
  );
  if (here < 0) return nearest(spans, mark.row, mark.span.from);
  const span = spans[here + (key === "ArrowLeft" ? -1 : 1)];
  return span && { row: mark.row, span };
}

function nearest(spans: readonly ClosedSpan[], row: number, time: number): Mark | undefined {
  let best: { span: ClosedSpan; far: number } | undefined;
  for (const span of spans) {
    const far = Math.max(0, span.from - time, time - span.to);
    if (!best || far < best.far) best = { span, far };
  }
  return best && { row, span: best.span };
}
