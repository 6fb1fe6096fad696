import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentId, Envelope, SessionId } from "../../../src/protocol/index.ts";
import { agentOf, emptyView, isLive, reduceAll, toArray } from "../../../src/view/index.ts";
import { type DashboardState, emptyDashboard } from "../../../web/src/state/dashboard-state.ts";
import {
  foldEnvelopes,
  openTranscript,
  closeTranscript,
  transcriptLoaded,
  transcriptFailed,
} from "../../../web/src/state/fold-envelopes.ts";
import {
  anyEvents,
  enclose,
  helper,
  lead,
  opened,
  prompted,
  sessionId,
  spawned,
} from "../../support/view/sample-envelopes.ts";

const log = enclose([
  opened(),
  spawned(),
  [helper, spawned("lead/helper", lead)],
  ...prompted(1, "hello"),
  [helper, { type: "notice.raised", level: "info", code: "x", message: "one" }],
  [helper, { type: "notice.raised", level: "info", code: "x", message: "two" }],
]);
const more = enclose([
  ...log.map(({ agent, event }) => [agent, event] as const),
  [helper, { type: "notice.raised", level: "info", code: "x", message: "three" }],
  [helper, { type: "text.delta", turn: 1, text: "live" }],
  [helper, { type: "notice.raised", level: "info", code: "x", message: "four" }],
]).slice(log.length);
const start: DashboardState = { ...emptyDashboard, selected: sessionId };
const agentIn = (state: DashboardState, agent: AgentId) => {
  const view = state.views.get(sessionId);
  return view && agentOf(view, agent);
};
const said = (state: DashboardState, agent: AgentId) =>
  toArray(agentIn(state, agent)?.transcript ?? { length: 0, depth: 0, root: [], tail: [] }).map((item) =>
    "message" in item ? item.message : item.kind,
  );
const stored = (agent: AgentId, of: readonly Envelope[]) => of.filter((envelope) => envelope.agent === agent);

describe("transcripts", () => {
  test("are kept only for the viewed agent, from its first event on", () => {
    const state = foldEnvelopes(openTranscript(start, sessionId, undefined), log);
    expect(said(state, lead)).toEqual(["prompt"]);
    expect(agentIn(state, helper)?.isForgotten).toBe(true);
    expect(said(state, helper)).toEqual([]);
  });

  test("that were released come back complete, with events from the time of the request", () => {
    let state = foldEnvelopes(start, log);
    state = openTranscript(state, sessionId, helper);
    const asked = stored(helper, log);
    state = foldEnvelopes(state, more);
    expect(said(state, helper)).toEqual([]);
    state = transcriptLoaded(state, 1, asked);
    expect(said(state, helper)).toEqual(["one", "two", "three", "four"]);
    expect(state.viewedTranscript?.streamed).toEqual([]);
  });

  test("newer than the view are cut at the page's position", () => {
    let state = openTranscript(foldEnvelopes(start, log), sessionId, helper);
    state = transcriptLoaded(state, 1, stored(helper, [...log, ...more]));
    expect(said(state, helper)).toEqual(["one", "two"]);
    state = foldEnvelopes(state, more);
    expect(said(state, helper)).toEqual(["one", "two", "three", "four"]);
  });

  test("that arrive late are ignored for another view, and a failure is shown only to its viewer", () => {
    let state = openTranscript(foldEnvelopes(start, log), sessionId, helper);
    state = openTranscript(state, sessionId, lead);
    expect(transcriptLoaded(state, 1, stored(helper, log))).toBe(state);
    expect(transcriptFailed(state, 1, "no")).toBe(state);
    expect(transcriptFailed(state, 2, "gone").viewedTranscript?.problem).toBe("gone");
    // After the return, the first requested transcript lacks the events in between.
    state = openTranscript(foldEnvelopes(state, more), sessionId, helper);
    expect(transcriptLoaded(state, 1, stored(helper, log))).toBe(state);
    expect(said(transcriptLoaded(state, 3, stored(helper, [...log, ...more])), helper)).toEqual([
      "one",
      "two",
      "three",
      "four",
    ]);
  });

  test("without items are complete too", () => {
    const state = openTranscript(foldEnvelopes(start, log), sessionId, helper);
    expect(agentIn(transcriptLoaded(state, 1, []), helper)?.isForgotten).toBe(false);
  });

  test("are released when the view changes", () => {
    const state = closeTranscript(foldEnvelopes(openTranscript(start, sessionId, lead), log));
    expect(agentIn(state, lead)?.isForgotten).toBe(true);
    expect(said(state, lead)).toEqual([]);
    expect(state.viewedTranscript).toBeUndefined();
  });
});

test("each session has its own view", () => {
  const other = "ses_22222222" as SessionId;
  const theirs = log.map((envelope) => ({ ...envelope, session: other }));
  const state = foldEnvelopes(start, [...log, ...theirs]);
  expect([...state.views.keys()]).toEqual([sessionId, other]);
  expect(state.folds.get(other)?.events).toBe(log.length);
});

test("a view does not depend on how events were batched or repeated", () => {
  fc.assert(
    fc.property(anyEvents, fc.nat(), fc.nat(), (events, first, second) => {
      const all = enclose(events);
      const [a, b] = [first % (all.length + 1), second % (all.length + 1)].sort((x, y) => x - y) as [number, number];
      const replaying: DashboardState = { ...start, replayAt: "2026-01-01T00:00:00.000Z" };
      const once = foldEnvelopes(replaying, all);
      const again = all.slice(a, b).filter(({ event }) => !isLive(event));
      const pieces = [all.slice(0, a), all.slice(a, b), again, all.slice(b)];
      expect(pieces.reduce(foldEnvelopes, replaying)).toEqual(once);
      if (all.length > 0) expect(once.views.get(sessionId) ?? emptyView).toEqual(reduceAll(emptyView, all));
    }),
    { numRuns: 150 },
  );
});
