import { expect, test } from "vitest";
import type { EventId } from "../../../src/protocol/index.ts";
import { type ClosedSpan, criticalPath, type SpanKind } from "../../../src/view/index.ts";

const span = (kind: SpanKind, from: number, to: number): ClosedSpan => ({
  kind,
  from,
  to,
  row: 0,
  name: "",
  title: "",
  event: "evt_1" as EventId,
  seq: 1,
});

test("critical path goes back through the mail that an idle agent waited for", () => {
  const lead = { spans: [span("thinking", 0, 10), span("idle", 10, 60), span("thinking", 60, 70)], parent: undefined };
  const slow = { spans: [span("thinking", 10, 20), span("tool", 20, 58), span("idle", 58, 70)], parent: 0 };
  const fast = { spans: [span("thinking", 10, 15), span("idle", 15, 70)], parent: 0 };
  const path = criticalPath(
    [lead, slow, fast],
    [
      { from: 2, to: 0, sentAt: 15, receivedAt: 16 },
      // The log of the sender is written after the delivery.
      { from: 1, to: 0, sentAt: 61, receivedAt: 58 },
    ],
  );
  expect(path.map(({ lane, kind, from, to }) => `${lane} ${kind} ${from}-${to}`)).toEqual([
    "0 thinking 0-10",
    "1 thinking 10-20",
    "1 tool 20-58",
    "0 model 58-60",
    "0 thinking 60-70",
  ]);
});

test("critical path follows mail that starts work in the same millisecond, and ends", () => {
  const lead = { spans: [span("tool", 0, 20), span("idle", 20, 30)], parent: undefined };
  const member = { spans: [span("idle", 0, 15), span("thinking", 15, 25)], parent: 0 };
  const mail = [
    { from: 0, to: 1, sentAt: 16, receivedAt: 15 },
    { from: 1, to: 0, sentAt: 20, receivedAt: 20 },
  ];
  const path = criticalPath([lead, member], mail).map(({ lane, kind, from, to }) => `${lane} ${kind} ${from}-${to}`);
  expect(path).toEqual(["0 tool 0-14", "1 model 14-15", "1 thinking 15-25"]);
});

test("critical path contains questions and time without a process, and ends with loops of messages", () => {
  const lane = { spans: [span("permission", 0, 5), span("stopped", 5, 9), span("tool", 9, 12)], parent: 0 };
  expect(criticalPath([lane], [{ from: 0, to: 0, sentAt: 1, receivedAt: 8 }]).map(({ kind }) => kind)).toEqual([
    "permission",
    "stopped",
    "tool",
  ]);
  expect(criticalPath([], [])).toEqual([]);
});
