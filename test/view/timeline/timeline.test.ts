import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Envelope, Event } from "../../../src/protocol/index.ts";
import {
  emptyTimeline,
  isLive,
  laneSpans,
  maxSpans,
  reduceTimeline,
  type Timeline,
  timelinePeriod,
  valueAt,
  valuesOf,
} from "../../../src/view/index.ts";
import { deepFreeze } from "../../support/view/deep-freeze.ts";
import {
  anyEvents,
  callId,
  enclose,
  failure,
  helper,
  lead,
  opened,
  requestId,
  spawned,
  usage,
} from "../../support/view/sample-envelopes.ts";

const start = Date.UTC(2026, 0, 1);

const called = (id: string, name = "Bash"): Event => ({
  type: "tool.called",
  turn: 1,
  callId: callId(id),
  name,
  input: {},
  title: `${name} ${id}`,
});
const settled = (id: string): Event => ({
  type: "tool.settled",
  callId: callId(id),
  durationMs: 1,
  outcome: "ok",
  content: [],
});
const turn: Event = { type: "turn.started", turn: 1, model: "a/b" };
const answer = (...calls: string[]): Event => ({
  type: "turn.ended",
  turn: 1,
  parts: calls.map((id) => ({ type: "tool_call", callId: callId(id), name: "Bash", input: {} })),
  stopReason: "tool_use",
  contextTokens: 1,
  durationMs: 1,
});
const idle: Event = { type: "agent.idle", reason: "completed" };
const asked = (id: string): Event => ({
  type: "permission.asked",
  requestId: requestId(1),
  callId: callId(id),
  tool: "Bash",
  input: {},
  question: "may it?",
  suggestions: [],
});
const allowed: Event = { type: "permission.settled", requestId: requestId(1), behavior: "allow", by: "user" };

const fold = (envelopes: readonly Envelope[]): Timeline => envelopes.reduce(reduceTimeline, emptyTimeline);

/** The spans of the lead, as `kind name from-to/row`, in seconds. */
function drawn(timeline: Timeline, now: number, agent = lead): string[] {
  const lane = valueAt(timeline.lanes, agent);
  if (!lane) return [];
  const period = { from: start, to: start + now * 1000, now: start + now * 1000 };
  return [...laneSpans(timeline, lane, period)].map(({ kind, name, from, to, row }) =>
    `${kind} ${name} ${(from - start) / 1000}-${(to - start) / 1000}/${row}`.replace("  ", " "),
  );
}

describe("lane", () => {
  const cases: [string, (readonly [typeof lead, Event] | Event)[], string[]][] = [
    ["rests until something is said", [opened(), spawned()], ["idle 0-9/0"]],
    [
      "thinks, uses tools beside each other, and rests",
      [
        opened(),
        turn,
        answer("c1", "c2"),
        called("c1"),
        called("c2", "Read"),
        settled("c1"),
        settled("c2"),
        turn,
        idle,
      ],
      [
        "idle 0-1/0",
        "thinking a/b 1-2/0",
        "tool Bash 3-5/0",
        "tool Read 4-6/1",
        "model 6-7/0",
        "thinking a/b 7-8/0",
        "idle completed 8-9/0",
      ],
    ],
    [
      "waits for a permission, then runs the call",
      [opened(), turn, answer("c1"), asked("c1"), spawned(), allowed, called("c1"), settled("c1")],
      ["idle 0-1/0", "thinking a/b 1-2/0", "permission Bash 3-5/0", "tool Bash 6-7/0", "model 7-9/0"],
    ],
    [
      "does not wait for what a member asks through it",
      [opened(), { ...asked("c1"), member: { team: "t", name: "ann" } } as Event],
      ["idle 0-9/0"],
    ],
    [
      "has waited in vain for an answer that failed or was lost",
      [
        opened(),
        turn,
        { type: "cost.recorded", purpose: "lost", model: "a/b", usage, costUsd: 1 },
        { type: "turn.failed", turn: 1, failure },
        { type: "agent.stopped", outcome: "failed" },
      ],
      ["idle 0-1/0", "model a/b 1-2/0", "model a/b 2-3/0", "model 3-4/0", "stopped failed 4-9/0"],
    ],
    [
      "does nothing while its session is closed",
      [opened(), turn, { type: "session.closed", reason: "completed" }, opened(true)],
      ["idle 0-1/0", "thinking a/b 1-2/0", "idle 3-9/0"],
    ],
    [
      "ends what it was at with the process that did it, however that ended",
      [opened(), turn, answer("c1"), called("c1"), [helper, spawned("lead/h", lead)], opened(true), settled("c1")],
      ["idle 0-1/0", "thinking a/b 1-2/0", "idle 5-9/0"],
    ],
  ];
  test.each(cases)("%s", (_, events, expected) => {
    expect(drawn(fold(enclose(events)), 9)).toEqual(expected);
  });

  test("of a subagent also ends with its session, and open spans are not drawn after that", () => {
    const log = enclose([
      opened(),
      [helper, spawned("lead/h", lead)],
      [helper, turn],
      { type: "session.closed", reason: "interrupted" },
    ]);
    expect(drawn(fold(log), 9, helper)).toEqual(["idle 1-2/0", "thinking a/b 2-3/0"]);
  });

  test("spans name their event: the answer or the call", () => {
    const log = enclose([opened(), turn, answer("c1"), called("c1"), settled("c1")]);
    const timeline = fold(log);
    const lane = valueAt(timeline.lanes, lead);
    if (!lane) throw new Error("there is no lane");
    const spans = [...laneSpans(timeline, lane, { from: 0, to: Infinity, now: start + 9000 })];
    expect(spans.map(({ event }) => event)).toEqual([log[0]?.id, log[2]?.id, log[3]?.id, log[4]?.id]);
    expect(timelinePeriod([timeline])).toEqual({ from: start, to: start + 4000 });
  });

  test("does not reverse when the clock was set back", () => {
    const [first, second, third] = enclose([opened(), turn, idle]);
    const back = { ...second!, at: new Date(start - 60_000).toISOString() };
    for (const span of drawn(fold([first!, back, third!]), 9)) expect(span).not.toContain("-60");
  });
});

const anyLog = anyEvents.map((events) => deepFreeze(enclose(events)));

test("any log prefix folds, also in halves, without changing its input", () => {
  fc.assert(
    fc.property(anyLog, fc.nat(), (log, cut) => {
      const at = log.length === 0 ? 0 : cut % log.length;
      const half = deepFreeze(log.slice(0, at).reduce(reduceTimeline, deepFreeze(emptyTimeline)));
      expect(log.slice(at).reduce(reduceTimeline, half)).toEqual(fold(log));
    }),
  );
});

test("a replay of stored events gives the same result as the live stream", () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      expect(fold(log.filter(({ event }) => !isLive(event)))).toEqual(fold(log));
    }),
  );
});

test("stored envelopes seen before return the same object", () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const timeline = fold(log);
      for (const envelope of log) expect(reduceTimeline(timeline, envelope)).toBe(timeline);
    }),
  );
});

test("property: spans start before they end, and spans of one row do not overlap", () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const timeline = fold(log);
      for (const lane of valuesOf(timeline.lanes)) {
        const ends = new Map<number, number>();
        const spans = [...laneSpans(timeline, lane, { from: 0, to: Infinity, now: start + 1e9 })];
        for (const { from, to, row } of spans.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
          expect(from).toBeLessThanOrEqual(to);
          expect(from).toBeGreaterThanOrEqual(ends.get(row) ?? 0);
          ends.set(row, to);
        }
      }
    }),
  );
});

describe("long lane", () => {
  const events = [...Array(20_000).keys()].flatMap((number): Event[] => [called(`c${number}`), settled(`c${number}`)]);
  const timeline = fold(enclose([opened(), ...events]));
  const lane = valueAt(timeline.lanes, lead);

  test("is bounded, and covers the same time", () => {
    expect(lane?.spans.length).toBeLessThan(maxSpans);
    const spans = lane ? [...laneSpans(timeline, lane, { from: 0, to: Infinity, now: start + 40_000_000 })] : [];
    expect(spans[0]?.from).toBe(start);
    expect(spans.at(-1)?.to).toBe(start + 40_000_000);
    expect(spans.reduce((sum, { merged = 1 }) => sum + merged, 0)).toBe(40_001);
  });

  test("is coarse where it is old, and returns only the spans of a period", () => {
    if (!lane) throw new Error("there is no lane");
    const between = (from: number, to: number) => [
      ...laneSpans(timeline, lane, { from: start + from * 1000, to: start + to * 1000, now: start + 40_000_000 }),
    ];
    expect(between(39_990, 40_000).length).toBeLessThanOrEqual(14);
    expect(between(39_990, 40_000).every(({ merged }) => merged === undefined)).toBe(true);
    expect(between(0, 10).every(({ merged = 1 }) => merged > 1)).toBe(true);
    for (const { from, to } of between(20_000, 20_500)) {
      expect(from).toBeLessThanOrEqual(start + 20_500_000);
      expect(to).toBeGreaterThanOrEqual(start + 20_000_000);
    }
  });

  test("that was resumed keeps its work on both sides of the time without a process, and counts its calls", () => {
    const again = fold(enclose([opened(), ...events.slice(0, 6_000), opened(true), ...events.slice(6_000, 12_000)]));
    const resumed = valueAt(again.lanes, lead);
    const spans = resumed ? [...laneSpans(again, resumed, { from: 0, to: Infinity, now: start + 12_001_000 })] : [];
    const work = spans.filter(({ kind }) => kind === "tool");
    // Work in every tenth of the run, where a gap of minutes would show.
    for (let part = 0; part < 10; part++) {
      const [from, to] = [start + part * 1_200_000, start + (part + 1) * 1_200_000];
      expect(work.some((span) => span.from < to && span.to > from)).toBe(true);
    }
    expect(work.some(({ merged, calls = 0 }) => merged !== undefined && calls > 0)).toBe(true);
  });
});
