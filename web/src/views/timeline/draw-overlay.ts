import type { MarkKind, Period } from "../../../../src/view/index.ts";
import type { Colors } from "./draw-lanes.ts";
import { axisHeight, laneHeight } from "./lane-rows.ts";
import { markSigns } from "./mark-text.ts";
import type { Overlay, PlacedMark } from "./timeline-overlay.ts";

interface Place {
  readonly period: Period;
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly colors: Colors;
}

export const markRadius = 7;

/** Draws the critical path, the arrows of mail, and the marks over the lanes. */
export function drawOverlay(on: CanvasRenderingContext2D, place: Place, overlay: Overlay): void {
  on.save();
  on.beginPath();
  on.rect(0, axisHeight, place.width, place.height - axisHeight);
  on.clip();
  drawPath(on, place, overlay.path);
  for (const message of overlay.messages) drawArrow(on, place, message);
  for (const mark of overlay.marks) drawMark(on, place, mark);
  on.restore();
}

const xOf = ({ period, width }: Place, time: number): number =>
  ((time - period.from) / (period.to - period.from)) * width;
const yOf = ({ top }: Pick<Place, "top">, row: number): number => axisHeight + row * laneHeight - top;

/** The centre of a mark: at the upper edge of its lane. */
export const markPoint = (place: Pick<Place, "period" | "width" | "top">, { at, row }: PlacedMark) => ({
  x: xOf(place as Place, at),
  y: yOf(place, row) + markRadius + 1,
});

function drawPath(on: CanvasRenderingContext2D, place: Place, path: Overlay["path"]): void {
  if (path.length === 0) return;
  on.strokeStyle = place.colors["--ink"];
  on.lineWidth = 3;
  on.lineJoin = "round";
  on.beginPath();
  let isFirst = true;
  for (const { lane, from, to } of path) {
    const y = yOf(place, lane) + laneHeight - 4;
    if (isFirst) on.moveTo(xOf(place, from), y);
    else on.lineTo(xOf(place, from), y);
    on.lineTo(xOf(place, to), y);
    isFirst = false;
  }
  on.stroke();
}

function drawArrow(on: CanvasRenderingContext2D, place: Place, message: Overlay["messages"][number]): void {
  const [x1, x2] = [xOf(place, message.sentAt), xOf(place, message.receivedAt)];
  if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > place.width) return;
  const y1 = yOf(place, message.from) + laneHeight / 2;
  const y2 = yOf(place, message.to) + (message.to > message.from ? 6 : laneHeight - 6);
  const bend = (y2 - y1) / 2;
  on.strokeStyle = place.colors["--ink-soft"];
  on.fillStyle = place.colors["--ink-soft"];
  on.lineWidth = 1.25;
  on.beginPath();
  on.moveTo(x1, y1);
  on.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
  on.stroke();
  const tip = Math.sign(y2 - y1) * 6;
  on.beginPath();
  on.moveTo(x2, y2);
  on.lineTo(x2 - 3.5, y2 - tip);
  on.lineTo(x2 + 3.5, y2 - tip);
  on.fill();
}

const colorOf: Readonly<Record<MarkKind, keyof Colors>> = {
  question: "--state-asking",
  death: "--state-failed",
  failure: "--state-failed",
  landing: "--good",
  resume: "--accent",
  commit: "--accent",
  compaction: "--accent",
};

function drawMark(on: CanvasRenderingContext2D, place: Place, mark: PlacedMark): void {
  const { x, y } = markPoint(place, mark);
  if (x < -markRadius || x > place.width + markRadius) return;
  on.beginPath();
  on.arc(x, y, markRadius, 0, 2 * Math.PI);
  on.fillStyle = place.colors["--surface"];
  on.fill();
  on.strokeStyle = place.colors[colorOf[mark.kind]];
  on.lineWidth = 1.75;
  on.stroke();
  on.fillStyle = place.colors[colorOf[mark.kind]];
  on.font = "bold 10px sans-serif";
  on.textAlign = "center";
  on.textBaseline = "middle";
  on.fillText(markSigns[mark.kind], x, y + 0.5);
  on.textAlign = "start";
}
