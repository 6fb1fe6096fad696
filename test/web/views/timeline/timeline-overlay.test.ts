import { expect, test } from "vitest";
import type { Event } from "../../../../src/protocol/index.ts";
import { agentOf, emptyTimeline, emptyView, reduce, reduceTimeline } from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../../../web/src/state/roster.ts";
import { laneRows, rowSpans } from "../../../../web/src/views/timeline/lane-rows.ts";
import { marksIn } from "../../../../web/src/views/timeline/timeline-overlay.ts";
import { enclose, lead, opened } from "../../../support/view/sample-envelopes.ts";

const start = Date.UTC(2026, 0, 1);
const events: Event[] = [opened(), { type: "agent.idle", reason: "completed" }];
const envelopes = enclose(events);

/** The row of a member whose process was killed: its own log ends without a word. */
function lostRow() {
  const timeline = envelopes.reduce(reduceTimeline, emptyTimeline);
  const agent = agentOf(envelopes.reduce(reduce, emptyView), lead);
  const member = { name: "ann", team: "t", ended: "lost", detail: "its pane is gone" };
  const entry = { key: "ann@t", kind: "teammate", name: "ann", state: "failed", agent, member, depth: 1 };
  return laneRows([timeline], [entry as unknown as RosterEntry]);
}

test("a killed member is stopped from its last event on, not idle, and its death is marked", () => {
  const rows = lostRow();
  const [row] = rows;
  if (!row) throw new Error("there is no row");
  const now = start + 60_000;
  const last = [...rowSpans(row, { from: start, to: now }, now)].at(-1);
  expect(last).toMatchObject({ kind: "stopped", from: row.lane.at, to: now });
  expect(marksIn(rows)).toMatchObject([{ kind: "death", row: 0, text: "its pane is gone", at: row.lane.at }]);
});

test("the time between a kill and a resume is without a process", () => {
  const again = enclose([
    ...events,
    { ...opened(), resumed: true } as Event,
    { type: "agent.idle", reason: "completed" },
  ]);
  const timeline = again.reduce(reduceTimeline, emptyTimeline);
  const [row] = laneRows([timeline], []);
  if (!row) throw new Error("there is no row");
  const spans = [...rowSpans(row, { from: start, to: start + 10_000 }, start + 10_000)];
  expect(spans.filter(({ kind }) => kind === "stopped")).toHaveLength(1);
});
