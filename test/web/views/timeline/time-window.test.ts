import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../../src/protocol/index.ts";
import { emptyTimeline, reduceTimeline } from "../../../../src/view/index.ts";
import { laneRows, placeSpans, rowSpans, spanAt } from "../../../../web/src/views/timeline/lane-rows.ts";
import {
  firstWindow,
  fitted,
  panned,
  periodOf,
  showing,
  ticksOf,
  type TimeWindow,
  zoomed,
} from "../../../../web/src/views/timeline/time-window.ts";
import { stepBetweenSpans } from "../../../../web/src/views/timeline/step-between-spans.ts";
import { callId, enclose, helper, lead, opened, spawned } from "../../../support/view/sample-envelopes.ts";

const start = Date.UTC(2026, 0, 1);
const now = start + 3_600_000;

describe("time window", () => {
  const anyWindow = fc.record({
    length: fc.integer({ min: 300, max: 1e9 }),
    end: fc.integer({ min: start, max: now }),
    follows: fc.boolean(),
  });

  test("zooms around a time, which stays in place", () => {
    fc.assert(
      fc.property(
        anyWindow,
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (window, factor, share) => {
          const still = { ...window, follows: false };
          const before = periodOf(still, now);
          const at = before.from + share * (before.to - before.from);
          const after = periodOf(zoomed(still, factor, { at, now }), now);
          expect((at - after.from) / (after.to - after.from)).toBeCloseTo(share, 5);
        },
      ),
    );
  });

  test("zooming stays within bounds", () => {
    let window: TimeWindow = { length: 60_000, end: now, follows: true };
    for (let step = 0; step < 200; step++) window = zoomed(window, 0.5, { at: now, now });
    expect(window).toMatchObject({ length: 200, follows: true });
    for (let step = 0; step < 200; step++) window = zoomed(window, 2, { at: now, now });
    expect(window.length).toBeLessThan(1e12);
  });

  test("follows until it is moved", () => {
    const window = firstWindow({ from: start, to: now }, { now, isLive: true });
    expect(window).toMatchObject({ follows: true, length: 900_000 });
    expect(periodOf(window, now + 5_000).to - periodOf(window, now).to).toBe(5_000);
    const moved = panned(window, -60_000, now);
    expect(moved.follows).toBe(false);
    expect(periodOf(moved, now + 5_000)).toEqual(periodOf(moved, now));
    expect(periodOf(moved, now).to).toBe(periodOf(window, now).to - 60_000);
  });

  test("of an ended session shows all of it", () => {
    const { from, to } = periodOf(firstWindow({ from: start, to: now }, { now, isLive: false }), now);
    expect([from < start, to > now]).toEqual([true, true]);
    expect(fitted({ from: start, to: start }).length).toBeGreaterThan(0);
  });

  test("moves to a span that is not visible, and stays when it is", () => {
    const window = { length: 60_000, end: now, follows: false };
    expect(showing(window, { from: now - 1_000, to: now + 500 }, now)).toBe(window);
    const { from, to } = periodOf(showing(window, { from: start, to: start + 500 }, now), now);
    expect([from <= start, to >= start + 500]).toEqual([true, true]);
  });

  test("has round tick times, never too many", () => {
    fc.assert(
      fc.property(anyWindow, fc.integer({ min: 2, max: 20 }), (window, most) => {
        const period = periodOf(window, now);
        const { times } = ticksOf(period, most);
        expect(times.length).toBeLessThanOrEqual(most + 1);
        for (const time of times) expect(time >= period.from && time <= period.to).toBe(true);
      }),
    );
    expect(ticksOf({ from: start, to: start + 60_000 }, 6).step).toBe(10_000);
  });
});

describe("lanes", () => {
  const called = (id: string): Event => ({
    type: "tool.called",
    turn: 1,
    callId: callId(id),
    name: "Bash",
    input: {},
    title: id,
  });
  const settled = (id: string): Event => ({
    type: "tool.settled",
    callId: callId(id),
    durationMs: 1,
    outcome: "ok",
    content: [],
  });
  const timeline = enclose([
    opened(),
    { type: "turn.started", turn: 1, model: "a/b" },
    {
      type: "turn.ended",
      turn: 1,
      parts: [{ type: "tool_call", callId: callId("c1"), name: "Bash", input: {} }],
      stopReason: "tool_use",
      contextTokens: 1,
      durationMs: 1,
    },
    called("c1"),
    called("c2"),
    settled("c1"),
    settled("c2"),
    [helper, spawned("lead/helper", lead)],
    called("c3"),
    settled("c3"),
  ]).reduce(reduceTimeline, emptyTimeline);
  const rows = laneRows([timeline], []);
  const all = { from: start, to: start + 12_000 };
  const spans = rows.slice(0, 1).flatMap((row) => placeSpans(rowSpans(row, all, all.to)));

  test("share their height among concurrent calls only", () => {
    const of = (title: string) => spans.find(({ span }) => span.title === title);
    const thinking = spans.find(({ span }) => span.kind === "thinking");
    expect(of("c1")?.height).toBe(of("c2")?.height);
    expect(of("c1")?.height).toBeLessThan((thinking?.height ?? 0) / 2);
    expect(of("c2")?.top).toBeGreaterThan(of("c1")?.top ?? 0);
    expect(of("c3")?.height).toBe(thinking?.height);
  });

  test("find the span at a position, or next to it", () => {
    const at = (seconds: number, y: number) => spanAt(spans, { time: start + seconds * 1000, y, slack: 200 })?.title;
    expect([at(4.5, 8), at(4.5, 28), at(8.5, 18), at(2.9, 8)]).toEqual(["c1", "c2", "c3", "c1"]);
    expect(spanAt(spans, { time: start + 1e9, y: 10, slack: 200 })).toBeUndefined();
  });

  test("are navigated from span to span and from lane to lane", () => {
    const step = (mark: Parameters<typeof stepBetweenSpans>[1]["mark"], key: string) =>
      stepBetweenSpans(rows, { mark, key, all, at: start });
    let mark = step(undefined, "ArrowRight");
    expect(mark).toMatchObject({ row: 0, span: { kind: "idle" } });
    const seen: string[] = [];
    for (let next = mark; next; next = step(next, "ArrowRight")) {
      mark = next;
      seen.push(next.span.title === "" ? next.span.kind : next.span.title);
    }
    expect(seen).toEqual(["idle", "thinking", "c1", "c2", "model", "c3", "model"]);
    const below = step(mark, "ArrowDown");
    expect(below).toMatchObject({ row: 1, span: { kind: "idle" } });
    expect(step(below, "ArrowDown")).toBeUndefined();
    expect(step(below, "ArrowUp")).toMatchObject({ row: 0 });
  });
});
