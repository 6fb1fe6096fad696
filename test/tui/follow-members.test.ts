import { expect, onTestFinished, test } from "vitest";
import { type Envelope, type Event, TroupeError } from "../../src/protocol/index.ts";
import { followMembers } from "../../src/tui/follow-members.ts";
import { createStore, enterTeammateView, applyEnvelope, teamTree, transcriptLoaded } from "../../src/view/index.ts";
import { viewedOf } from "../../src/tui/transcript/transcript-history.ts";
import {
  begun,
  joined,
  mate,
  mateId,
  mateSession,
  member,
  said,
  start,
  stateAfter,
  stored,
  taskOf,
} from "../support/view/sample-app-state.ts";
import { callId, enclose, opened, prompted, spawned, usage } from "../support/view/sample-envelopes.ts";

const remote = { backendType: "tmux" };
const before = [opened(), spawned(), joined("lead"), member("working", remote)];

/** A member in another process whose events the test provides. */
function listening(sayings: readonly (readonly Event[] | Error)[] = []) {
  const store = createStore(stateAfter(before));
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const calls: { session: string; isOver: () => boolean; say: (...envelopes: Envelope[]) => void }[] = [];
  const react = followMembers({
    store,
    now: () => start,
    signal: over.signal,
    async *listen(session, signal) {
      const waiting: Envelope[][] = [];
      let wake = () => undefined as void;
      calls.push({
        session,
        isOver: () => signal.aborted,
        say(...envelopes) {
          waiting.push(envelopes);
          wake();
        },
      });
      const problem = sayings[calls.length - 1];
      if (problem instanceof Error) throw problem;
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener("abort", () => resolve(), { once: true });
          });
      }
    },
  });
  store.subscribe(() => react(store.getState()));
  react(store.getState());
  const hear = (...events: Event[]) => {
    const envelopes = enclose([...before, ...events]).slice(before.length);
    for (const envelope of envelopes) store.setState((state) => applyEnvelope(state, envelope));
  };
  return { store, calls, hear, row: () => teamTree(store.getState(), start)[0] };
}

const own = (events: readonly Event[]) => enclose(events.map((event) => [mate, event] as const));
const works: Event[] = [
  opened(),
  spawned("scout@crew"),
  ...prompted(1, "go"),
  begun(),
  { type: "cost.recorded", purpose: "answer", model: "m", usage, costUsd: 0 },
  said(1, "I have looked around"),
  begun(2),
  {
    type: "turn.ended",
    turn: 2,
    parts: [{ type: "tool_call", callId: callId("c"), name: "Bash", input: {} }],
    stopReason: "tool_use",
    contextTokens: 1,
    durationMs: 1,
  },
  { type: "tool.called", turn: 2, callId: callId("c"), name: "Bash", input: {}, title: "$ npm test" },
];

test("the row of a member in another process shows its activity, tokens and last text", async () => {
  const { calls, row, store } = listening();
  expect(row()).toMatchObject({ state: "working", activity: { kind: "none" }, preview: "" });
  expect(calls.map(({ session }) => session)).toEqual([mateSession]);
  calls[0]?.say(...own(works));
  await expect.poll(() => row()?.preview).toBe("I have looked around");
  expect(row()).toMatchObject({
    activity: { kind: "calls", titles: ["$ npm test"] },
    task: { progress: { tokens: 122 } },
  });
  // Its transcript is not kept.
  expect(taskOf(store.getState(), mateId, "remote_agent").remoteAgent?.transcript.length).toBe(1);
});

test("its transcript is there while the user views it", async () => {
  const { calls, store } = listening();
  calls[0]?.say(
    ...own(works),
    ...own([...works, begun(3), { type: "text.delta", turn: 3, text: "and now" }]).slice(works.length),
  );
  await expect.poll(() => taskOf(store.getState(), mateId, "remote_agent").remoteAgent).toBeDefined();
  store.setState((state) =>
    transcriptLoaded(enterTeammateView(state, mateId, start), mateId, stored(own(works), mate)),
  );
  expect(viewedOf(store.getState())).toMatchObject({ isRemote: true, agent: { draft: { text: "and now" } } });
});

test("a member without presence for too long is silent until it is heard again", () => {
  const { hear, row } = listening();
  hear(member("working", { ...remote, alive: "unknown", detail: "no sign of life for more than 10 s" }));
  expect(row()?.state).toBe("silent");
  hear(member("working", { ...remote, alive: "unknown" }), member("idle", remote));
  expect(row()?.state).toBe("idle");
});

test("ended members are not followed; a member that has not started is followed once more is known", async () => {
  const { calls, hear } = listening([new TroupeError("session_not_found", "There is no session.")]);
  await expect.poll(() => calls).toHaveLength(1);
  await Promise.resolve();
  hear(member("idle", remote));
  await expect.poll(() => calls).toHaveLength(2);
  expect(calls[1]?.isOver()).toBe(false);
  hear(member("idle", remote), member("ended", { ...remote, ended: "shutdown" }));
  expect(calls[1]?.isOver()).toBe(true);
});

test("a failure to follow is reported once", async () => {
  const { store, hear, calls } = listening([new TroupeError("session_damaged", "line 3 cannot be read")]);
  await expect.poll(() => store.getState().notices).toHaveLength(1);
  expect(store.getState().notices[0]?.text).toBe("cannot follow scout: line 3 cannot be read");
  hear(member("idle", remote));
  expect(calls).toHaveLength(1);
});
