import { describe, expect, test } from "vitest";
import type { AgentId, Envelope, SessionId, SessionListing } from "../../../src/protocol/index.ts";
import { agentOf, createStore } from "../../../src/view/index.ts";
import { connect, type ConnectionPorts, type StreamListener } from "../../../web/src/state/live-connection.ts";
import { emptyDashboard } from "../../../web/src/state/dashboard-state.ts";
import { enclose, lead, opened, prompted, sessionId, spawned } from "../../support/view/sample-envelopes.ts";

const log = enclose([opened(), spawned(), ...prompted(1, "hello")]);
const other = "ses_22222222" as SessionId;
const listing: SessionListing = {
  id: sessionId,
  cwd: "/work/project",
  startedAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  state: "reachable",
};

/** A browser that the test controls. */
function browser() {
  const streams: { address: string; on: StreamListener; isClosed: boolean }[] = [];
  const waiting = new Map<() => void, number>();
  let isKnown = true;
  const ports: ConnectionPorts = {
    openStream(address, on) {
      const stream = { address, on, isClosed: false };
      streams.push(stream);
      return { close: () => (stream.isClosed = true) };
    },
    isKnown: () => Promise.resolve(isKnown),
    nextFrame: (run) => wait(run, 16),
    after: (ms, run) => wait(run, ms),
    random: () => 0.5,
  };
  const wait = (run: () => void, ms: number) => {
    waiting.set(run, ms);
    return () => void waiting.delete(run);
  };
  const store = createStore(emptyDashboard);
  const connection = connect(store, ports);
  return {
    store,
    connection,
    streams,
    last: () => streams.at(-1) as (typeof streams)[number],
    delays: () => [...waiting.values()],
    /** Runs all pending timers and frames. */
    pass() {
      for (const run of waiting.keys()) {
        waiting.delete(run);
        run();
      }
    },
    forget: () => (isKnown = false),
    send(type: Parameters<StreamListener["onMessage"]>[0], data: unknown) {
      streams.at(-1)?.on.onMessage(type, JSON.stringify(data));
    },
  };
}

const seqOf = (page: ReturnType<typeof browser>, id: SessionId = sessionId, agent: AgentId = lead) => {
  const view = page.store.getState().views.get(id);
  return view && agentOf(view, agent)?.seq;
};

describe("connected page", () => {
  test("has the session list, and the events of one session from the stream", () => {
    const page = browser();
    expect(page.last().address).toBe("/api/events?summaries=true");
    page.last().on.onOpen();
    page.send("sessions", [listing]);
    expect(page.store.getState()).toMatchObject({ connection: { kind: "open" }, sessions: [{ id: sessionId }] });

    page.connection.select(sessionId);
    expect(page.streams[0]?.isClosed).toBe(true);
    expect(page.last().address).toBe(`/api/events?session=${sessionId}`);
    let draws = 0;
    const stop = page.store.subscribe(() => draws++);
    for (const envelope of log) page.send("envelopes", [envelope]);
    expect([seqOf(page), draws]).toEqual([4, 0]);
    page.pass();
    expect(draws).toBe(1);
    stop();
    page.send("caught-up", { session: sessionId });
    expect(seqOf(page)).toBe(4);
    expect(page.store.getState().caughtUp.has(sessionId)).toBe(true);
    page.send("state", { session: sessionId, state: "stored" });
    expect(page.store.getState().sessions?.[0]?.state).toBe("stored");
  });

  test("draws once for all messages before a frame", () => {
    const page = browser();
    page.connection.select(sessionId);
    page.send("caught-up", { session: sessionId });
    let draws = 0;
    page.store.subscribe(() => draws++);
    for (const envelope of log) page.send("envelopes", [envelope]);
    expect(draws).toBe(0);
    page.pass();
    expect(draws).toBe(1);
    expect(seqOf(page)).toBe(4);
  });

  test("releases the previous session when another is opened", () => {
    const page = browser();
    page.connection.select(sessionId);
    page.send("envelopes", log);
    page.connection.select(other);
    expect(page.store.getState()).toMatchObject({ selected: other, views: new Map() });
    const stale = page.streams.at(-2);
    stale?.on.onMessage("envelopes", JSON.stringify(log));
    page.pass();
    expect(page.store.getState().views.size).toBe(0);
  });

  test("ignores unknown messages and reads the rest", () => {
    const page = browser();
    page.connection.select(sessionId);
    const [first, ...rest] = log as [Envelope, ...Envelope[]];
    page.send("envelopes", [first, { ...first, seq: 2, event: { type: "mystery.happened" } }, ...rest]);
    page.pass();
    expect(seqOf(page)).toBe(4);
  });
});

describe("broken connection", () => {
  test("reconnects after a delay with its cursor, and nothing counts twice", () => {
    const page = browser();
    page.connection.select(sessionId);
    page.send("envelopes", log.slice(0, 2));
    page.last().on.broken();
    expect(page.store.getState().connection).toMatchObject({ kind: "waiting", tries: 1, delayMs: 500 });
    expect(seqOf(page)).toBe(2);
    page.pass();
    const after = new URLSearchParams(page.last().address.split("?")[1]).get("after");
    expect(JSON.parse(after ?? "")).toEqual({ [sessionId]: { [lead]: 2 } });
    page.last().on.onOpen();
    page.send("envelopes", log);
    page.send("caught-up", { session: sessionId });
    expect(seqOf(page)).toBe(4);
    expect(page.store.getState().folds.get(sessionId)?.events).toBe(4);
  });

  test("waits longer each time, up to ten seconds, and not at all on a manual retry", () => {
    const page = browser();
    const delays: number[] = [];
    for (let time = 0; time < 8; time++) {
      page.last().on.broken();
      delays.push(...page.delays());
      page.pass();
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
    page.last().on.broken();
    const count = page.streams.length;
    page.connection.retry();
    expect(page.streams.length).toBe(count + 1);
    page.last().on.onOpen();
    page.connection.retry();
    expect(page.streams.length).toBe(count + 1);
  });

  test("is refused for a browser that the server does not know, with no automatic retry", async () => {
    const page = browser();
    page.forget();
    page.last().on.broken();
    await expect.poll(() => page.store.getState().connection.kind).toBe("refused");
    expect(page.delays()).toEqual([]);
  });

  test("an invalid message also breaks the connection", () => {
    const page = browser();
    page.last().on.onMessage("sessions", "[{]");
    expect(page.store.getState().connection.kind).toBe("waiting");
    page.pass();
    page.send("envelopes", [{ not: "an envelope" }]);
    expect(page.store.getState().connection).toMatchObject({ kind: "waiting", tries: 2 });
  });
});
