import { type KeyboardEvent, memo, type RefObject, useEffect, useRef, useState } from "react";
import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import type { ClosedSpan, Period } from "../../../../src/view/index.ts";
import { formatClock } from "../../parts/format-amounts.ts";
import { useColors } from "../../parts/use-colors.ts";
import { useSize } from "../../parts/use-size.ts";
import { hrefOf } from "../../route.ts";
import type { DisplayedTime } from "../../state/use-displayed-time.ts";
import { useNavigation } from "../../state/navigation.ts";
import { colorNames, drawLanes, type Picture } from "./draw-lanes.ts";
import { markPoint, markRadius } from "./draw-overlay.ts";
import { markText } from "./mark-text.ts";
import type { Overlay, PlacedMark } from "./timeline-overlay.ts";
import { LaneLabels } from "./lane-labels.tsx";
import { axisHeight, laneHeight, type LaneRow, placeSpans, rowSpans, spanAt } from "./lane-rows.ts";
import { spanText } from "./span-text.ts";
import { fitted, panned, periodOf, showing, type TimeWindow, zoomed } from "./time-window.ts";
import { useGestures } from "./use-gestures.ts";
import { type Mark, stepBetweenSpans } from "./step-between-spans.ts";

interface Props {
  readonly rows: readonly LaneRow[];
  readonly window: TimeWindow;
  readonly now: number;
  readonly kind: DisplayedTime["kind"];
  readonly all: Period;
  readonly session: SessionId;
  readonly overlay: Overlay;
  onWindow(window: TimeWindow): void;
}

/** The lanes on one canvas as high as the screen. Names are beside it; the span under the pointer has a label. */
export const Lanes = memo(function Lanes({ rows, window, now, kind, all, session, overlay, onWindow }: Props) {
  const scroll = useRef<HTMLDivElement>(null);
  const lanes = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const room = useSize(scroll);
  const width = useSize(lanes)?.width ?? 0;
  const colors = useColors(scroll, colorNames);
  const [top, setTop] = useState(0);
  const [pointed, setPointed] = useState<{ x: number; y: number } | undefined>(undefined);
  const [walked, setWalked] = useState<Mark | undefined>(undefined);
  const { go } = useNavigation();
  const period = periodOf(window, now);
  const height = Math.min(room?.height ?? 0, axisHeight + rows.length * laneHeight);
  const perPixel = (period.to - period.from) / Math.max(1, width);

  const markAt = (at: { x: number; y: number }): Mark | undefined => {
    const y = at.y - axisHeight + top;
    const index = Math.floor(y / laneHeight);
    const row = rows[index];
    if (at.y < axisHeight || !row) return undefined;
    const time = period.from + at.x * perPixel;
    const slack = 5 * perPixel;
    const spans = placeSpans(rowSpans(row, period, now));
    const span = spanAt(spans, { time, y: y - index * laneHeight, slack });
    return span && { row: index, span };
  };
  /** The mark under a position is before the span there. */
  const signAt = (at: { x: number; y: number }): PlacedMark | undefined =>
    overlay.marks.findLast((mark) => {
      const { x, y } = markPoint({ period, width, top }, mark);
      return Math.hypot(at.x - x, at.y - y) <= markRadius + 2;
    });
  const open = ({ row, span }: Mark) => {
    const agent = rows[row]?.agent;
    if (agent) go(hrefOf(session, "transcript", { agent, at: span.event }));
  };
  const sign = pointed && signAt(pointed);
  const hovered = pointed && !sign ? markAt(pointed) : undefined;
  // An open span may have grown since the user moved to it.
  const marked = hovered ?? walked;

  useGestures(lanes, {
    zoom: (factor, x) =>
      onWindow(zoomed(window, factor, { at: window.follows ? now : period.from + x * perPixel, now })),
    pan: (pixels) => onWindow(panned(window, pixels * perPixel, now)),
    hover: setPointed,
    click: (at) => {
      const found = signAt(at);
      const mark = markAt(at);
      if (found) go(hrefOf(session, "transcript", { agent: found.agent, at: found.event }));
      else if (mark) open(mark);
    },
  });

  useDrawing(
    canvas,
    colors && { rows, period, now, hasNow: kind !== "stored", width, height, top, colors, overlay, marked },
  );

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (period.to - period.from) * 0.2;
    const at = walked ? Math.max(period.from, Math.min(period.to, walked.span.from)) : (period.from + period.to) / 2;
    if (event.key === "+" || event.key === "=")
      onWindow(zoomed(window, 1 / 1.6, { at: window.follows ? now : at, now }));
    else if (event.key === "-") onWindow(zoomed(window, 1.6, { at: window.follows ? now : at, now }));
    else if (event.key === "0") onWindow(fitted({ from: all.from, to: now }));
    else if (event.key === "Home") onWindow({ ...window, end: all.from + window.length * 0.98, follows: false });
    else if (event.key === "End") onWindow({ ...window, end: now + window.length * 0.03, follows: kind === "live" });
    else if (event.shiftKey && event.key === "ArrowLeft") onWindow(panned(window, -step, now));
    else if (event.shiftKey && event.key === "ArrowRight") onWindow(panned(window, step, now));
    else if (event.key === "Enter" && walked) open(walked);
    else if (event.key === "Escape" && walked) setWalked(undefined);
    else if (event.key.startsWith("Arrow")) {
      const next = stepBetweenSpans(rows, { mark: walked, key: event.key, all: { from: all.from, to: now }, at });
      if (!next) return;
      setWalked(next);
      const shown = showing(window, next.span, now);
      if (shown !== window) onWindow(shown);
      const y = next.row * laneHeight;
      if (scroll.current && (y < top || y + laneHeight + axisHeight > top + height))
        scroll.current.scrollTop = y - height / 2;
    } else return;
    event.preventDefault();
  };

  const shown = marked && spanLabel(rows, marked);
  return (
    <div className="timeline-scroll" ref={scroll} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div className="timeline-inner" style={{ height: axisHeight + rows.length * laneHeight }}>
        <LaneLabels {...{ rows, session, top, height }} />
        <div
          className="timeline-lanes"
          ref={lanes}
          // Its content is only accessible with its own keys.
          role="application"
          tabIndex={0}
          aria-label="Spans by agent. Left and right move between spans, up and down change the lane, Enter opens the span in the transcript. Plus and minus zoom, Shift with left and right pans, 0 shows everything, End follows."
          style={{ height }}
          data-points={hovered !== undefined}
          onKeyDown={onKey}
          onFocus={() => setPointed(undefined)}
          onBlur={() => setWalked(undefined)}
        >
          <canvas ref={canvas} aria-hidden="true" />
          {sign && <SignCard sign={sign} who={rows[sign.row]?.entry?.name ?? ""} at={pointed} width={width} />}
          {marked && shown && !sign && <SpanCard mark={marked} {...{ shown, top, period, width, height }} />}
        </div>
      </div>
      <p className="unseen" aria-live="polite">
        {walked && !hovered && shown
          ? `${shown.who}, ${[shown.head, shown.detail, shown.when].filter((words) => words !== "").join(", ")}`
          : ""}
      </p>
    </div>
  );
});

/** Draws the lanes after each change, in the resolution of the screen. */
function useDrawing(canvas: RefObject<HTMLCanvasElement | null>, picture: Omit<Picture, "font"> | undefined): void {
  useEffect(() => {
    const element = canvas.current;
    const on = element?.getContext("2d");
    if (!on || !element || !picture || picture.width === 0) return;
    const scale = devicePixelRatio;
    const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
    if (element.width !== width || element.height !== height) {
      element.width = width;
      element.height = height;
    }
    on.setTransform(scale, 0, 0, scale, 0, 0);
    drawLanes(on, { ...picture, font: `12px ${getComputedStyle(element).fontFamily}` });
  });
}

const spanLabel = (rows: readonly LaneRow[], { row, span }: Mark) => ({
  who: visibleLine(rows[row]?.entry?.name ?? ""),
  ...spanText(span),
});

interface CardProps {
  readonly mark: { readonly row: number; readonly span: ClosedSpan };
  readonly shown: ReturnType<typeof spanLabel>;
  readonly top: number;
  readonly period: Period;
  readonly width: number;
  readonly height: number;
}

interface SignProps {
  readonly sign: PlacedMark;
  readonly who: string;
  readonly at: { readonly x: number; readonly y: number };
  readonly width: number;
}

function SignCard({ sign, who, at, width }: SignProps) {
  const half = Math.min(150, width / 2);
  return (
    <div
      className="span-card"
      role="tooltip"
      style={{ left: Math.max(half, Math.min(width - half, at.x)), top: at.y + 2 * markRadius }}
    >
      <p>
        <strong>{markText[sign.kind]}</strong> <span className="soft">{visibleLine(who)}</span>
      </p>
      <p className="span-detail">{visibleLine(sign.text)}</p>
      <p className="soft">{formatClock(new Date(sign.at).toISOString())}</p>
    </div>
  );
}

function SpanCard({ mark, shown, top, period, width, height }: CardProps) {
  const middle = Math.max(period.from, Math.min(period.to, (mark.span.from + mark.span.to) / 2));
  const x = ((middle - period.from) / (period.to - period.from)) * width;
  const y = axisHeight + mark.row * laneHeight - top;
  const isBelow = y + laneHeight + 96 < Math.max(height, 260);
  const half = Math.min(150, width / 2);
  return (
    <div
      className="span-card"
      role="tooltip"
      style={{
        left: Math.max(half, Math.min(width - half, x)),
        ...(isBelow ? { top: y + laneHeight + 2 } : { bottom: height - y + 2 }),
      }}
    >
      <p>
        <strong>{shown.head}</strong> <span className="soft">{shown.who}</span>
      </p>
      {shown.detail !== "" && <p className="span-detail">{shown.detail}</p>}
      <p className="soft">{shown.when}</p>
    </div>
  );
}
