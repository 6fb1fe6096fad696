import { describe, expect, test } from "vitest";
import type { AttemptContext, AttemptModel } from "../../src/model/attempt.ts";
import { createGate } from "../../src/model/gate.ts";
import { type RetryOptions, withRetry } from "../../src/model/retry.ts";
import type { ModelAnswer, ModelEvent, ModelFailure, Usage } from "../../src/protocol/index.ts";
import { ask, collect } from "../support/model/model-request.ts";
import { fastClock, heldClock, settle } from "../support/model/held-clock.ts";

const usage: Usage = { inputTokens: 5, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const answer: ModelAnswer = { parts: [{ type: "text", text: "hi" }], stopReason: "end_turn", usage };
const finished: ModelEvent = { type: "finished", answer };
const failed = (kind: ModelFailure["kind"], more: Partial<ModelFailure> = {}): ModelEvent => ({
  type: "failed",
  failure: { kind, message: kind, ...more },
});

/** A model that plays one list of events per attempt. */
function playing(...attempts: ((context: AttemptContext) => AsyncIterable<ModelEvent> | ModelEvent[])[]) {
  const model: AttemptModel & { count: number } = {
    ref: "test/model",
    contextWindow: 1000,
    maxOutputTokens: 100,
    count: 0,
    async *attempt(_, context) {
      const play = attempts[Math.min(model.count++, attempts.length - 1)];
      if (play) yield* play(context);
    },
  };
  return model;
}

const hang = () => new Promise<never>(() => undefined);

function retrying(model: AttemptModel, change: Partial<RetryOptions> = {}) {
  const clock = change.clock ?? fastClock();
  return withRetry(model, { gate: createGate({ clock }), clock, random: () => 0.5, stallMs: 0, ...change });
}

const once = async (kind: ModelFailure["kind"]) => {
  const events = await collect(
    retrying(
      playing(
        () => [failed(kind)],
        () => [finished],
      ),
      { random: () => 0 },
    ),
  );
  return events.find((event) => event.type === "retrying")?.delayMs;
};

describe("retries", () => {
  test.each(["rate_limited", "overloaded", "server", "connection", "stalled", "cut", "malformed"] as const)(
    "%s",
    async (kind) => {
      const model = playing(
        () => [{ type: "text.delta", text: "half" }, failed(kind)],
        () => [finished],
      );
      const events = await collect(retrying(model));
      expect(events.map((event) => event.type)).toEqual(["text.delta", "retrying", "finished"]);
    },
  );

  test.each(["context_overflow", "authentication", "forbidden", "not_found", "bad_request"] as const)(
    "not %s",
    async (kind) => {
      const model = playing(() => [failed(kind)]);
      expect(await collect(retrying(model))).toEqual([failed(kind)]);
      expect(model.count).toBe(1);
    },
  );

  test("until the attempt limit, with waits that double up to a maximum", async () => {
    const model = playing(() => [failed("server")]);
    const events = await collect(retrying(model, { random: () => 0.999_999 }));
    const delays = events.flatMap((event) => (event.type === "retrying" ? [[event.attempt, event.delayMs]] : []));
    expect(delays).toEqual([
      [2, 1000],
      [3, 2000],
      [4, 4000],
      [5, 8000],
      [6, 16000],
      [7, 32000],
      [8, 60000],
      [9, 60000],
      [10, 60000],
    ]);
    expect(events.at(-1)).toEqual(failed("server", { message: "server Stopped after 10 attempts." }));
    expect(model.count).toBe(10);
  });

  test("a random wait can be anything up to the maximum, but a rate limit always waits", async () => {
    expect(await once("server")).toBe(0);
    expect(await once("rate_limited")).toBe(1000);
  });

  test("no sooner than the server asks, and not at all when it asks for too long", async () => {
    const clock = fastClock();
    const soon = playing(
      () => [failed("rate_limited", { retryAfterMs: 30_000 })],
      () => [finished],
    );
    expect(await collect(retrying(soon, { clock }))).toMatchObject([{ type: "retrying", delayMs: 30_000 }, finished]);
    expect(clock.slept).toEqual([30_000]);
    const late = playing(() => [failed("rate_limited", { retryAfterMs: 7_200_000 })]);
    expect(await collect(retrying(late))).toMatchObject([{ type: "failed", failure: { retryAfterMs: 7_200_000 } }]);
  });
});

describe("lost attempt", () => {
  test("reports its cost, however it ended", async () => {
    const model = playing(
      ({ spent }) => {
        spent(usage);
        return [failed("cut")];
      },
      () => [finished],
    );
    expect(await collect(retrying(model))).toEqual([
      { type: "retrying", attempt: 2, delayMs: 500, failure: { kind: "cut", message: "cut" }, usage },
      finished,
    ]);
  });

  test("counts as cut when it ends without an end event", async () => {
    const model = playing(
      () => [{ type: "text.delta", text: "x" }],
      () => [finished],
    );
    expect(await collect(retrying(model))).toMatchObject([
      {},
      { type: "retrying", failure: { kind: "cut" } },
      finished,
    ]);
  });

  test("a bug in an adapter throws instead of a provider failure, and releases its slot", async () => {
    const clock = fastClock();
    const gate = createGate({ clock });
    const model = playing(() => {
      throw new TypeError("bug");
    });
    await expect(collect(retrying(model, { clock, gate }))).rejects.toThrow("bug");
    expect(gate.state()).toMatchObject({ inFlight: 0, waiting: 0 });
  });
});

describe("silence", () => {
  const patient = { stallMs: 60_000, firstByteMs: 300_000 };

  test("before the first event ends an attempt after five minutes", async () => {
    const clock = heldClock();
    const model = playing(
      async function* () {
        yield await hang();
      },
      () => [finished],
    );
    const events = collect(retrying(model, { clock, ...patient }));
    await clock.untilSleeping(60_000);
    await clock.advance(299_999);
    expect(model.count).toBe(1);
    await clock.advance(1);
    await clock.advance(500);
    expect(await events).toEqual([
      {
        type: "retrying",
        attempt: 2,
        delayMs: 500,
        failure: { kind: "stalled", message: "test/model sent nothing for 300 s." },
      },
      finished,
    ]);
    expect(clock.sleeping()).toEqual([]);
  });

  test("after the first event ends it after a minute; any byte counts", async () => {
    const clock = heldClock();
    let ping: (() => void) | undefined;
    let stopped = false;
    const model = playing(
      async function* (context) {
        ping = context.alive;
        context.spent(usage);
        context.signal.addEventListener("abort", () => {
          stopped = true;
        });
        yield { type: "text.delta", text: "half" } as const;
        yield await hang();
      },
      () => [finished],
    );
    const events = collect(retrying(model, { clock, ...patient }));
    await settle();
    await clock.advance(59_000);
    ping?.();
    await clock.advance(59_000);
    expect(stopped).toBe(false);
    ping?.();
    await clock.advance(59_999);
    expect(stopped).toBe(false);
    await clock.advance(1);
    expect(stopped).toBe(true);
    await clock.advance(500);
    expect(await events).toMatchObject([
      { type: "text.delta" },
      { type: "retrying", failure: { kind: "stalled" }, usage },
      finished,
    ]);
  });

  test("does not count while the stream is not read", async () => {
    const clock = heldClock();
    const model = playing(() => [{ type: "text.delta", text: "a" }, finished]);
    const stream = retrying(model, { clock, ...patient }).stream(ask(), new AbortController().signal);
    const events = stream[Symbol.asyncIterator]();
    expect(await events.next()).toMatchObject({ value: { type: "text.delta" } });
    await clock.advance(600_000);
    expect(await events.next()).toMatchObject({ value: finished });
    await events.return?.();
    expect(clock.sleeping()).toEqual([]);
  });
});

describe("abort", () => {
  const aborted = { type: "failed", failure: { kind: "aborted", message: "Interrupted." } };

  test("ends an attempt that ignores the signal at once and reports its cost", async () => {
    const controller = new AbortController();
    const model = playing(async function* ({ spent }) {
      spent(usage);
      yield { type: "text.delta", text: "half" } as const;
      controller.abort();
      yield await hang();
    });
    const events = await collect(retrying(model), ask(), controller.signal);
    expect(events).toEqual([
      { type: "text.delta", text: "half" },
      { ...aborted, usage },
    ]);
  });

  test("ends the wait between attempts", async () => {
    const clock = heldClock();
    const controller = new AbortController();
    const model = playing(() => [failed("server")]);
    const events = collect(retrying(model, { clock }), ask(), controller.signal);
    await clock.untilSleeping(500);
    controller.abort();
    expect((await events).at(-1)).toEqual(aborted);
    expect(clock.sleeping()).toEqual([]);
    expect(model.count).toBe(1);
  });

  test("ends the wait at the gate, and works before anything has started", async () => {
    const clock = heldClock();
    const gate = createGate({ clock, limits: { start: 1, max: 1 } });
    gate.enter({ agentPath: "lead/busy", signal: new AbortController().signal });
    const controller = new AbortController();
    const model = playing(() => [finished]);
    const events = collect(retrying(model, { clock, gate }), ask(), controller.signal);
    await settle();
    controller.abort();
    expect(await events).toMatchObject([{ type: "waiting" }, aborted]);
    expect(await collect(retrying(model, { clock, gate }), ask(), controller.signal)).toEqual([aborted]);
    expect(model.count).toBe(0);
    expect(gate.state()).toMatchObject({ inFlight: 1, waiting: 0 });
  });

  test("a reader that stops reading releases its slot", async () => {
    const clock = fastClock();
    const gate = createGate({ clock });
    const model = playing(async function* () {
      yield { type: "text.delta", text: "a" } as const;
      yield await hang();
    });
    for await (const _ of retrying(model, { clock, gate }).stream(ask(), new AbortController().signal)) break;
    expect(gate.state()).toMatchObject({ inFlight: 0, waiting: 0 });
  });
});

test("agents refused together all wait as the server asks, the lead goes first, and all are served", async () => {
  const clock = heldClock();
  const gate = createGate({ clock, limits: { start: 8, max: 64 } });
  const sent: { agent: string; at: number }[] = [];
  let refusals = 8;
  const model: AttemptModel = {
    ref: "test/model",
    contextWindow: 1,
    maxOutputTokens: 1,
    async *attempt(request) {
      sent.push({ agent: request.caller.agentPath, at: clock.monotonic() });
      await settle();
      yield refusals-- > 0 ? failed("rate_limited", { retryAfterMs: 5_000 }) : finished;
    },
  };
  const client = withRetry(model, { gate, clock, random: () => 0.5, stallMs: 0 });
  const agents = [...Array.from({ length: 15 }, (_, i) => `lead/${i}`), "lead"];
  const all = Promise.all(agents.map((agentPath) => collect(client, ask({ caller: { ...ask().caller, agentPath } }))));
  for (let i = 0; i < 4; i++) await settle();
  expect(sent).toHaveLength(8);
  await clock.advance(4_999);
  expect(sent).toHaveLength(8);
  await clock.advance(60_000);
  const results = await all;
  expect(results.every((events) => events.at(-1)?.type === "finished")).toBe(true);
  const after = sent.slice(8);
  expect(after[0]).toEqual({ agent: "lead", at: 5_000 });
  expect(new Set(after.map(({ agent }) => agent)).size).toBe(16);
  expect(gate.state()).toMatchObject({ inFlight: 0, waiting: 0 });
});
