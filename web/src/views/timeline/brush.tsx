import { type PointerEvent, useMemo, useRef } from "react";
import type { Period } from "../../../../src/view/index.ts";
import { type LaneRow, rowSpans } from "./lane-rows.ts";
import type { PlacedMark } from "./timeline-overlay.ts";
import type { TimeWindow } from "./time-window.ts";

interface Props {
  readonly rows: readonly LaneRow[];
  readonly marks: readonly PlacedMark[];
  readonly all: Period;
  /** The displayed part. */
  readonly period: Period;
  onWindow(window: TimeWindow): void;
}

/** Pixels around an edge that count as the edge. */
const edgePx = 8;
const columns = 240;

/** The whole run in small. The displayed part is a frame: drag it or its edges, or draw a new one. */
export function Brush({ rows, marks, all, period, onWindow }: Props) {
  const strip = useRef<HTMLDivElement>(null);
  const drag = useRef<{ readonly how: "from" | "to" | "move"; readonly grip: number } | undefined>(undefined);
  const bars = useMemo(() => workPath(rows, all), [rows, all]);
  const length = Math.max(1, all.to - all.from);
  const share = (time: number) => Math.max(0, Math.min(1, (time - all.from) / length));
  const shown = { from: share(period.from), to: Math.max(share(period.from) + 0.002, share(period.to)) };

  const timeAt = ({ clientX }: PointerEvent) => {
    const { left, width } = strip.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return { time: all.from + ((clientX - left) / width) * length, perPixel: length / width };
  };
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const { time, perPixel } = timeAt(event);
    const near = (edge: number) => Math.abs(time - edge) < edgePx * perPixel;
    if (near(period.to)) drag.current = { how: "to", grip: period.from };
    else if (near(period.from)) drag.current = { how: "from", grip: period.to };
    else if (time > period.from && time < period.to && shown.to - shown.from < 0.98)
      drag.current = { how: "move", grip: time - period.from };
    else drag.current = { how: "to", grip: time };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent) => {
    if (!drag.current) return;
    const { time, perPixel } = timeAt(event);
    const { how, grip } = drag.current;
    if (how === "move") {
      const size = period.to - period.from;
      return onWindow({ length: size, end: time - grip + size, follows: false });
    }
    const [from, to] = time < grip ? [time, grip] : [grip, time];
    if (to - from > 3 * perPixel) onWindow({ length: to - from, end: to, follows: false });
  };
  return (
    <div
      ref={strip}
      className="brush"
      // The lanes have keys for the same.
      aria-hidden="true"
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={() => (drag.current = undefined)}
      onPointerCancel={() => (drag.current = undefined)}
    >
      <svg viewBox={`0 0 ${columns} 24`} preserveAspectRatio="none">
        <path d={bars} />
      </svg>
      {marks.map(({ event, kind, at }) => (
        <span
          key={`${event} ${kind}`}
          className="brush-mark"
          data-kind={kind}
          style={{ left: `${share(at) * 100}%` }}
        />
      ))}
      <span
        className="brush-window"
        style={{ left: `${shown.from * 100}%`, width: `${(shown.to - shown.from) * 100}%` }}
      />
    </div>
  );
}

/** How many agents work over time, as the outline of an area. */
function workPath(rows: readonly LaneRow[], all: Period): string {
  const counts = Array.from({ length: columns }, () => 0);
  const length = Math.max(1, all.to - all.from);
  for (const row of rows) {
    const busy = new Set<number>();
    for (const { kind, from, to } of rowSpans(row, all, all.to)) {
      if (kind === "idle" || kind === "stopped") continue;
      const first = Math.max(0, Math.floor(((from - all.from) / length) * columns));
      const last = Math.min(columns - 1, Math.floor(((to - all.from) / length) * columns));
      for (let at = first; at <= last; at++) busy.add(at);
    }
    for (const at of busy) counts[at] = (counts[at] ?? 0) + 1;
  }
  const most = Math.max(1, ...counts);
  return `M0 24${counts.map((count, at) => `L${at} ${(24 - (count / most) * 22).toFixed(1)}L${at + 1} ${(24 - (count / most) * 22).toFixed(1)}`).join("")}L${columns} 24Z`;
}
