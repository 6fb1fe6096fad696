import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createGate, createGateRegistry } from "../../src/model/gate.ts";
import { GateQueue, type TicketResult } from "../../src/model/gate-queue.ts";
import { neverAborted } from "../support/model/model-request.ts";
import { heldClock } from "../support/model/held-clock.ts";

const enter = (queue: GateQueue, agentPath: string, names: Map<object, string>) => {
  const entry = queue.enter(agentPath);
  names.set(entry, agentPath);
  return entry;
};

const run = (queue: GateQueue, count: number, { result, now = 0 }: { result: TicketResult; now?: number }) => {
  const entries = Array.from({ length: count }, (_, i) => queue.enter(`lead/${i}`));
  queue.admit(now);
  for (const entry of entries) queue.leave(entry, { result, now, waitMs: 1000 });
};

describe("queue order", () => {
  test("the lead before others, agents in turn, requests of one agent in order", () => {
    const queue = new GateQueue({ start: 1, max: 1 });
    const names = new Map<object, string>();
    const order: string[] = [];
    for (const path of ["lead/a", "lead/a", "lead/a", "lead/b", "lead/c", "lead"]) enter(queue, path, names);
    for (let [entry] = queue.admit(0); entry; [entry] = queue.admit(0)) {
      order.push(names.get(entry) ?? "");
      queue.leave(entry, { result: "ok", now: 0 });
    }
    expect(order).toEqual(["lead", "lead/a", "lead/b", "lead/c", "lead/a", "lead/a"]);
  });

  test("leads do not block others for ever", () => {
    const queue = new GateQueue({ start: 1, max: 1 });
    const names = new Map<object, string>();
    enter(queue, "lead/a", names);
    for (let turn = 0; turn < 10; turn++) {
      enter(queue, "lead", names);
      const [entry] = queue.admit(0);
      if (!entry) throw new Error("no request was admitted");
      queue.leave(entry, { result: "ok", now: 0 });
      if (names.get(entry) === "lead/a") return;
    }
    throw new Error("the other never went");
  });
});

describe("width", () => {
  test("grows with success, halves once for simultaneous refusals, and never falls below one", () => {
    const queue = new GateQueue({ start: 16, max: 64 });
    run(queue, 16, { result: "ok" });
    expect(queue.width).toBe(32);
    run(queue, 32, { result: "rate_limited" });
    expect(queue.width).toBe(16);
    for (let i = 1; i < 10; i++) run(queue, 1, { result: "overloaded", now: i * 1000 });
    expect(queue.width).toBe(1);
    run(queue, 1, { result: "ok", now: 20_000 });
    expect(queue.width).toBe(2);
    for (let i = 0; i < 5000; i++) run(queue, 1, { result: "ok", now: 30_000 });
    expect(queue.width).toBe(64);
  });

  test("other failures do not change it", () => {
    const queue = new GateQueue({ start: 8, max: 64 });
    run(queue, 8, { result: "failed" });
    run(queue, 8, { result: "abandoned" });
    expect(queue.width).toBe(8);
  });
});

type Step =
  | { do: "enter"; agent: number }
  | { do: "finish"; which: number; result: TicketResult; waitMs: number }
  | { do: "leave"; which: number }
  | { do: "pass"; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("enter" as const), agent: fc.nat(5) }),
  fc.record({
    do: fc.constant("finish" as const),
    which: fc.nat(30),
    result: fc.constantFrom<TicketResult>("ok", "rate_limited", "overloaded", "failed", "abandoned"),
    waitMs: fc.nat(5000),
  }),
  fc.record({ do: fc.constant("leave" as const), which: fc.nat(30) }),
  fc.record({ do: fc.constant("pass" as const), ms: fc.nat(3000) }),
);

test("property: requests never exceed the width, none run during a pause, none is lost", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 8 }), (steps, start) => {
      const queue = new GateQueue({ start, max: 12 });
      const waiting = new Set<object>();
      const underway = new Set<object>();
      let now = 0;
      const admit = () => {
        const paused = now < queue.pausedUntil;
        for (const entry of queue.admit(now)) {
          expect(paused).toBe(false);
          expect(waiting.delete(entry)).toBe(true);
          underway.add(entry);
          expect(underway.size).toBeLessThanOrEqual(queue.width);
        }
        expect(queue.inFlight).toBe(underway.size);
        expect(queue.waiting).toBe(waiting.size);
        if (!paused && waiting.size > 0) expect(underway.size).toBeGreaterThanOrEqual(queue.width);
      };
      for (const action of steps) {
        if (action.do === "enter") waiting.add(queue.enter(action.agent === 0 ? "lead" : `lead/${action.agent}`));
        if (action.do === "pass") now += action.ms;
        if (action.do === "leave") {
          const entry = [...waiting][action.which];
          if (entry && waiting.delete(entry)) queue.leave(entry, { result: "abandoned", now });
        }
        if (action.do === "finish") {
          const entry = [...underway][action.which];
          if (entry && underway.delete(entry))
            queue.leave(entry, { result: action.result, now, waitMs: action.waitMs });
        }
        admit();
      }
      // No request starves: as requests end, every waiting one gets its turn.
      now = Math.max(now, queue.pausedUntil);
      for (let left = waiting.size + underway.size; left > 0; left--) {
        admit();
        const [entry] = underway;
        if (!entry) throw new Error("nothing is under way though a request waits");
        underway.delete(entry);
        queue.leave(entry, { result: "ok", now });
      }
      expect(waiting.size).toBe(0);
    }),
  );
});

describe("gate", () => {
  test("gives the reason for a wait and admits the next request when one ends", async () => {
    const gate = createGate({ clock: heldClock(), limits: { start: 1, max: 1 } });
    const first = gate.enter({ agentPath: "lead", signal: neverAborted() });
    const second = gate.enter({ agentPath: "lead/a", signal: neverAborted() });
    expect(first.waitingFor).toBeUndefined();
    expect(second.waitingFor).toBe("1 requests of this account are in flight, 1 are waiting");
    await expect(first.granted()).resolves.toBe(true);
    first.release("ok");
    first.release("rate_limited", 1e9);
    await expect(second.granted()).resolves.toBe(true);
    expect(gate.state()).toEqual({ width: 1, inFlight: 1, waiting: 0 });
  });

  test("after a rate limit no request is sent until the pause ends", async () => {
    const clock = heldClock();
    const gate = createGate({ clock });
    const refused = gate.enter({ agentPath: "lead", signal: neverAborted() });
    refused.release("rate_limited", 7_000);
    const tickets = ["lead/a", "lead/b"].map((agentPath) => gate.enter({ agentPath, signal: neverAborted() }));
    expect(tickets.map((ticket) => ticket.waitingFor)).toEqual(
      Array.from({ length: 2 }, () => "rate limited: every request of this account waits 7 s"),
    );
    await clock.advance(6_999);
    expect(gate.state()).toMatchObject({ inFlight: 0, waiting: 2 });
    await clock.advance(1);
    expect(gate.state()).toMatchObject({ inFlight: 2, waiting: 0 });
    expect(clock.sleeping()).toEqual([]);
  });

  test("a longer pause requested during a pause applies", async () => {
    const clock = heldClock();
    const gate = createGate({ clock });
    const [one, two] = ["lead", "lead/a"].map((agentPath) => gate.enter({ agentPath, signal: neverAborted() }));
    one?.release("rate_limited", 1_000);
    gate.enter({ agentPath: "lead", signal: neverAborted() });
    two?.release("rate_limited", 5_000);
    await clock.advance(4_999);
    expect(gate.state()).toMatchObject({ inFlight: 0, waiting: 1 });
    await clock.advance(1);
    expect(gate.state()).toMatchObject({ inFlight: 1, waiting: 0 });
  });

  test("an abort leaves the queue at once and keeps no timer", async () => {
    const clock = heldClock();
    const gate = createGate({ clock });
    gate.enter({ agentPath: "lead", signal: neverAborted() }).release("rate_limited", 60_000);
    const controller = new AbortController();
    const ticket = gate.enter({ agentPath: "lead", signal: controller.signal });
    expect(clock.sleeping()).toEqual([60_000]);
    controller.abort();
    await expect(ticket.granted()).resolves.toBe(false);
    expect(gate.state()).toMatchObject({ inFlight: 0, waiting: 0 });
    expect(clock.sleeping()).toEqual([]);
    const late = gate.enter({ agentPath: "lead", signal: controller.signal });
    await expect(late.granted()).resolves.toBe(false);
  });
});

test("one account has one gate", () => {
  const gates = createGateRegistry(heldClock());
  const gate = gates.gateFor({ baseUrl: "https://a", secret: "k" });
  expect(gates.gateFor({ baseUrl: "https://a", secret: "k" })).toBe(gate);
  expect(gates.gateFor({ baseUrl: "https://a", secret: "other" })).not.toBe(gate);
  expect(gates.gateFor({ baseUrl: "https://b", secret: "k" })).not.toBe(gate);
});
