import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Envelope } from "../../../src/protocol/index.ts";
import { cursorOf, emptyView, isLive, itemsOf, reduce, reduceAll, type SessionView } from "../../../src/view/index.ts";
import { deepFreeze } from "../../support/view/deep-freeze.ts";
import { anyEvents, enclose, lead, opened, spawned } from "../../support/view/sample-envelopes.ts";

const anyLog = anyEvents.map((events) => deepFreeze(enclose(events)));

test("the generated envelopes are valid by the protocol", () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      for (const envelope of log) Envelope.parse(envelope);
    }),
    { numRuns: 30 },
  );
});

test("any log prefix folds without changing its input, and two halves equal the whole", () => {
  fc.assert(
    fc.property(anyLog, fc.nat(), (log, cut) => {
      const at = log.length === 0 ? 0 : cut % log.length;
      const half = deepFreeze(reduceAll(deepFreeze(emptyView), log.slice(0, at)));
      let whole = emptyView;
      for (const envelope of log) whole = deepFreeze(reduce(whole, envelope));
      expect(reduceAll(half, log.slice(at))).toEqual(whole);
    }),
  );
});

test("a replay of stored events gives the live view, except for drafts and progress", () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const replayed = reduceAll(
        emptyView,
        log.filter(({ event }) => !isLive(event)),
      );
      expect(lasting(replayed)).toEqual(lasting(reduceAll(emptyView, log)));
    }),
  );
});

test("stored envelopes seen before return the same object", () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const view = reduceAll(emptyView, log);
      for (const envelope of log) if (!isLive(envelope.event)) expect(reduce(view, envelope)).toBe(view);
    }),
  );
});

test("the cursor is the last stored number of each agent", () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const last = new Map(log.filter(({ event }) => !isLive(event)).map(({ agent, seq }) => [agent, seq]));
      expect(cursorOf(reduceAll(emptyView, log))).toEqual(last);
    }),
  );
});

test("events of one agent leave the other agents' objects unchanged", () => {
  const log = enclose([opened(), spawned(), { type: "turn.started", turn: 1, model: "a/b" }]);
  const before = reduceAll(emptyView, log);
  const [live] = enclose([{ type: "text.delta", turn: 9, text: "late" }]);
  expect(reduce(before, { ...live!, agent: lead, seq: 3 })).toBe(before);
});

/** A view without the parts that only live viewers have seen. */
function lasting(view: SessionView) {
  const agents = [...itemsOf(view.agents)].map(({ draft, transcript, ...agent }) => ({
    ...agent,
    turn: draft?.turn,
    transcript: [...itemsOf(transcript)].map((item) => (item.kind === "call" ? { ...item, progress: "" } : item)),
  }));
  const background = [...itemsOf(view.background)].map((task) => ({ ...task, outputTail: "" }));
  return { ...view, agents, background };
}
