import type { Period } from "../../../../src/view/index.ts";

/** The displayed part of time. If it follows, it ends shortly after now and moves with it. */
export interface TimeWindow {
  readonly length: number;
  readonly end: number;
  readonly follows: boolean;
}

const [shortest, longest] = [200, 400 * 86_400_000];
/** Initial maximum length for a running session. */
const firstLength = 15 * 60_000;
/** Space after now, as a share of the window. */
const ahead = 0.03;

export function firstWindow(all: Period, { now, isLive }: { now: number; isLive: boolean }): TimeWindow {
  if (!isLive) return fitted(all);
  const length = Math.min(firstLength, Math.max(30_000, (now - all.from) * 1.05));
  return { length, end: now, follows: true };
}

/** The whole period with some space on both sides. */
export function fitted({ from, to }: Period): TimeWindow {
  const room = Math.max(500, (to - from) * 0.02);
  return { length: to - from + 2 * room, end: to + room, follows: false };
}

export function periodOf({ length, end, follows }: TimeWindow, now: number): Period {
  const to = follows ? now + length * ahead : end;
  return { from: to - length, to };
}

/** Zooms in for a factor below 1. The given time keeps its position; a following window keeps following. */
export function zoomed(window: TimeWindow, factor: number, { at, now }: { at: number; now: number }): TimeWindow {
  const { from, to } = periodOf(window, now);
  const length = Math.min(longest, Math.max(shortest, (to - from) * factor));
  const share = (at - from) / (to - from);
  return { ...window, length, end: at - share * length + length };
}

export function panned(window: TimeWindow, ms: number, now: number): TimeWindow {
  const { to } = periodOf(window, now);
  return { length: window.length, end: to + ms, follows: false };
}

/** Moves the window so that a span is visible; returns the same window if it is. */
export function showing(window: TimeWindow, span: Period, now: number): TimeWindow {
  const { from, to } = periodOf(window, now);
  if (span.to >= from && span.from <= to && (span.from >= from || span.to <= to)) return window;
  const middle = (span.from + Math.min(span.to, span.from + window.length / 2)) / 2;
  return { length: window.length, end: middle + window.length / 2, follows: false };
}

const steps = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600,
  43_200, 86_400, 172_800, 604_800, 2_592_000, 7_776_000,
].map((seconds) => seconds * 1_000);

/** Round times for the axis, as many as there is room for. */
export function ticksOf(
  { from, to }: Period,
  most: number,
): { readonly step: number; readonly times: readonly number[] } {
  const step = steps.find((each) => (to - from) / each <= most) ?? (to - from) / most;
  // Uses the time zone of the viewer.
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const times: number[] = [];
  for (let time = Math.ceil((from - offset) / step) * step + offset; time <= to; time += step) times.push(time);
  return { step, times };
}

export function tickWords(time: number, step: number): string {
  const date = new Date(time);
  if (step >= 86_400_000) return date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  const words = date.toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(step < 60_000 && { second: "2-digit" }),
  });
  return step < 1_000 ? `${words}.${String(date.getMilliseconds()).padStart(3, "0")}` : words;
}
