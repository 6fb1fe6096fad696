import { visibleLine } from "../../../../src/protocol/index.ts";
import type { ClosedSpan, Period, SpanKind } from "../../../../src/view/index.ts";
import { axisHeight, laneHeight, type LaneRow, placeSpans, rowSpans } from "./lane-rows.ts";
import { drawOverlay } from "./draw-overlay.ts";
import { mergedText } from "./span-text.ts";
import type { Overlay } from "./timeline-overlay.ts";
import { tickWords, ticksOf } from "./time-window.ts";

export const colorNames = [
  "--state-working",
  "--state-tool",
  "--state-asking",
  "--state-waiting",
  "--state-idle",
  "--state-ended",
  "--state-failed",
  "--surface",
  "--page",
  "--line",
  "--ink",
  "--ink-soft",
  "--accent",
  "--good",
] as const;
export type Colors = Readonly<Record<(typeof colorNames)[number], string>>;

export interface Picture {
  readonly rows: readonly LaneRow[];
  readonly period: Period;
  readonly now: number;
  /** True if a line marks the current time; a stored session has none. */
  readonly hasNow: boolean;
  readonly width: number;
  readonly height: number;
  /** Scroll position of the lanes. */
  readonly top: number;
  readonly colors: Colors;
  readonly font: string;
  readonly overlay: Overlay;
  readonly marked: { readonly row: number; readonly span: ClosedSpan } | undefined;
}

export function drawLanes(on: CanvasRenderingContext2D, picture: Picture): void {
  const { rows, width, height, top, colors } = picture;
  on.clearRect(0, 0, width, height);
  on.fillStyle = colors["--surface"];
  on.fillRect(0, 0, width, height);
  const ticks = ticksOf(picture.period, Math.max(2, width / 96));
  const toX = toXOf(picture);
  on.fillStyle = colors["--line"];
  for (const time of ticks.times) on.fillRect(Math.round(toX(time)), axisHeight, 1, height);
  const first = Math.max(0, Math.floor(top / laneHeight));
  const last = Math.min(rows.length, Math.ceil((top + height) / laneHeight));
  for (let index = first; index < last; index++) {
    const row = rows[index];
    if (row) drawLane(on, picture, { row, index, y: axisHeight + index * laneHeight - top });
  }
  drawOverlay(on, picture, picture.overlay);
  drawNow(on, picture, toX(picture.now));
  drawAxis(on, picture, ticks);
}

const toXOf =
  ({ period, width }: Pick<Picture, "period" | "width">) =>
  (time: number): number =>
    ((time - period.from) / (period.to - period.from)) * width;

function drawLane(
  on: CanvasRenderingContext2D,
  picture: Picture,
  { row, index, y }: { row: LaneRow; index: number; y: number },
): void {
  const { width, colors, period, now, marked } = picture;
  on.fillStyle = colors["--line"];
  on.fillRect(0, y + laneHeight - 1, width, 1);
  const toX = toXOf(picture);
  const spans = placeSpans(rowSpans(row, period, now));
  // Draws only one of many spans that share a pixel.
  const drawnTo = new Map<string, number>();
  for (const { span, top, height } of spans) {
    const from = Math.max(-4, toX(span.from));
    const place = `${span.kind} ${top}`;
    const end = toX(span.to);
    if (end <= (drawnTo.get(place) ?? -Infinity)) continue;
    drawnTo.set(place, Math.max(end, from + 1));
    const to = Math.min(width + 4, Math.max(from + 1.5, toX(span.to)));
    fillSpan(on, colors, { span, x: from, y: y + top, width: to - from, height });
    if (height >= 11 && to - from > 34) writeOn(on, picture, { span, x: from, y: y + top, width: to - from, height });
  }
  const mark = marked?.row === index ? spans.find(({ span }) => isSame(span, marked.span)) : undefined;
  if (!mark) return;
  const from = toX(mark.span.from);
  on.strokeStyle = colors["--ink"];
  on.lineWidth = 2;
  on.strokeRect(from - 1, y + mark.top - 1, Math.max(3, toX(mark.span.to) - from) + 2, mark.height + 2);
}

/** An open span may have grown since it was marked. */
const isSame = (a: ClosedSpan, b: ClosedSpan): boolean =>
  a.event === b.event && a.kind === b.kind && a.from === b.from && a.callId === b.callId;

interface Box {
  readonly span: ClosedSpan;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const colorOf: Readonly<Record<SpanKind, keyof Colors>> = {
  thinking: "--state-working",
  tool: "--state-tool",
  permission: "--state-asking",
  model: "--state-waiting",
  idle: "--state-idle",
  stopped: "--state-ended",
};

/** Each kind differs in more than its colour: solid, hatched, outlined, a line. */
function fillSpan(on: CanvasRenderingContext2D, colors: Colors, { span, x, y, width, height }: Box): void {
  const isBad = span.outcome === "failed" || span.outcome === "denied";
  const color = colors[colorOf[span.kind]];
  on.fillStyle = color;
  switch (span.kind) {
    case "thinking":
    case "tool":
      on.beginPath();
      on.roundRect(x, y, Math.max(1, width - 0.5), height, Math.min(3, width / 3));
      on.fill();
      break;
    case "permission":
      on.globalAlpha = 0.35;
      on.fillRect(x, y, width, height);
      on.globalAlpha = 1;
      hatch(on, color, { x, y, width, height });
      break;
    case "model":
      on.globalAlpha = 0.22;
      on.fillRect(x, y, width, height);
      on.globalAlpha = 1;
      on.fillRect(x, y, width, 1.5);
      on.fillRect(x, y + height - 1.5, width, 1.5);
      break;
    case "idle":
      on.globalAlpha = 0.45;
      on.fillRect(x, y, width, height);
      on.globalAlpha = 1;
      break;
    case "stopped":
      for (let dot = Math.max(0, x); dot < x + width; dot += 7) on.fillRect(dot, y, 2, height);
      break;
  }
  if (!isBad) return;
  on.fillStyle = colors["--state-failed"];
  on.fillRect(x, y + height - 4, width, 4);
}

function hatch(on: CanvasRenderingContext2D, color: string, box: Omit<Box, "span">): void {
  const { x, y, width, height } = box;
  on.save();
  on.beginPath();
  on.rect(x, y, width, height);
  on.clip();
  on.strokeStyle = color;
  on.lineWidth = 2;
  on.beginPath();
  for (let at = x - height; at < x + width; at += 7) {
    on.moveTo(at, y + height);
    on.lineTo(at + height, y);
  }
  on.stroke();
  on.restore();
}

function writeOn(on: CanvasRenderingContext2D, { colors, font }: Picture, { span, x, y, width, height }: Box): void {
  if (span.kind !== "tool" && span.kind !== "thinking") return;
  const title = span.merged === undefined ? span.title || span.name : mergedText(span);
  const words = span.kind === "tool" ? visibleLine(title) : "";
  if (words === "") return;
  const left = Math.max(x, 0) + 4;
  on.save();
  on.beginPath();
  on.rect(left, y, x + width - left - 3, height);
  on.clip();
  on.font = font;
  on.textBaseline = "middle";
  on.fillStyle = colors["--page"];
  on.fillText(words.slice(0, 120), left, y + height / 2 + 0.5);
  on.restore();
}

function drawNow(on: CanvasRenderingContext2D, { height, width, colors, hasNow }: Picture, x: number): void {
  if (!hasNow || x < 0 || x > width) return;
  on.fillStyle = colors["--accent"];
  on.fillRect(Math.round(x), axisHeight - 6, 1.5, height);
}

function drawAxis(
  on: CanvasRenderingContext2D,
  picture: Picture,
  { step, times }: { readonly step: number; readonly times: readonly number[] },
): void {
  const { width, colors, font } = picture;
  const toX = toXOf(picture);
  on.fillStyle = colors["--surface"];
  on.fillRect(0, 0, width, axisHeight - 1);
  on.fillStyle = colors["--line"];
  on.fillRect(0, axisHeight - 1, width, 1);
  on.font = font;
  on.textBaseline = "middle";
  on.fillStyle = colors["--ink-soft"];
  for (const time of times) {
    const [words, x] = [tickWords(time, step), Math.round(toX(time)) + 4];
    if (x + on.measureText(words).width <= width) on.fillText(words, x, axisHeight / 2);
  }
  const x = toX(picture.now);
  if (!picture.hasNow || x < 0 || x > width) return;
  on.fillStyle = colors["--accent"];
  on.beginPath();
  on.moveTo(x - 4, axisHeight - 8);
  on.lineTo(x + 5, axisHeight - 8);
  on.lineTo(x + 0.5, axisHeight - 1);
  on.fill();
}
