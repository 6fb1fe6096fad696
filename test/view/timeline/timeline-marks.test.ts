import { expect, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import { emptyTimeline, maxMarks, reduceTimeline } from "../../../src/view/index.ts";
import { callId, enclose, opened, requestId } from "../../support/view/sample-envelopes.ts";

const marksOf = (events: readonly Event[]) =>
  enclose([opened(), ...events])
    .reduce(reduceTimeline, emptyTimeline)
    .marks.list.map(({ kind, text }) => `${kind}: ${text}`);

const bash = (id: string, command: string, outcome: "ok" | "failed" = "ok"): Event[] => [
  { type: "tool.called", turn: 1, callId: callId(id), name: "Bash", input: { command }, title: command },
  { type: "tool.settled", callId: callId(id), durationMs: 1, outcome, content: [] },
];

const asked: Event = {
  type: "permission.asked",
  requestId: requestId(1),
  callId: callId("q"),
  tool: "Bash",
  input: {},
  question: "run it?",
  suggestions: [],
} as unknown as Event;

test("commits, landings, questions and failures are marked; commands that fail or only look are not", () => {
  expect(
    marksOf([
      ...bash("1", "git -C sub commit -qm x"),
      ...bash("2", "git commit -qm y", "failed"),
      ...bash("3", "git log --oneline; echo commit"),
      ...bash("4", "troupe land troupe/a"),
      asked,
      { type: "agent.idle", reason: "failed", detail: "no key" },
    ]),
  ).toEqual([
    "commit: git -C sub commit -qm x",
    "landing: troupe land troupe/a",
    "question: run it?",
    "failure: no key",
  ]);
});

test("a resume after a proper end is not marked as a death", () => {
  const again: Event = { ...opened(), resumed: true } as Event;
  expect(marksOf([{ type: "session.closed", reason: "completed" }, again])).toEqual(["resume: resumed"]);
  expect(marksOf([again])).toEqual(["death: its process ended without a word", "resume: resumed"]);
});

test("the number of marks is limited", () => {
  const events = Array.from({ length: maxMarks + 50 }, () => asked);
  expect(marksOf(events)).toHaveLength(maxMarks);
});
