import { type ConsumerMessages, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Clock } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import { requestWithRetry, type RetryLimits } from "../connection/bus-request.ts";
import type { Bus } from "../connection/bus.ts";
import {
  isTransient,
  isStreamMissing,
  noAnswerError,
  refusedByBusError,
  teamGoneError,
} from "../connection/bus-errors.ts";

/** Everything on some subjects of a stream, in order, from the beginning and then as it comes. */
export interface Feed {
  /** Resolves once everything is handed on that the stream held when it was called. */
  sync(most?: { readonly waitMs: number }): Promise<void>;
  /** Resolves once the message with this sequence number is handed on. */
  reached(sequence: number): Promise<void>;
  /** Hands everything on once more, from the beginning. */
  readAgain(): void;
  close(): Promise<void>;
}

export interface FeedOptions {
  readonly bus: Bus;
  readonly stream: string;
  readonly filter: string;
  readonly clock: Clock;
  readonly waitMs: number;
  readonly onMessage: (message: JsMsg) => void;
  /**
   * What was read last is not there any more. Everything is handed on once more from the beginning, through this sequence
   * number. `isLoss`: another message is in its place, so acknowledged ones are lost; otherwise it may have been purged.
   */
  readonly onCut: (cut: { readonly through: number; readonly isLoss: boolean }) => void;
  /** It goes on no more, for good. */
  readonly onFailure: (error: unknown) => void;
}

export function openFeed(options: FeedOptions): Feed {
  const { bus, stream, filter, clock, waitMs } = options;
  const closed = new AbortController();
  const patience: RetryLimits = { clock, waitMs, signal: closed.signal };
  let position = 0;
  let lastRead: { readonly subject: string; readonly at: number } | undefined;
  let failure: { readonly error: unknown } | undefined;
  let messages: ConsumerMessages | undefined;
  const waiting = new Set<() => void>();
  const stopListening = bus.onReconnect(() => messages?.stop());

  const run = async () => {
    for (let tries = 0; !closed.signal.aborted; tries++) {
      try {
        await readOn();
        tries = 0;
      } catch (error) {
        if (closed.signal.aborted) return;
        if (TroupeError.is(error)) return fail(error);
        if (isStreamMissing(error)) return fail(teamGoneError(error));
        if (!isTransient(error)) return fail(refusedByBusError(bus, error));
        await clock.sleep(Math.min(50 * 2 ** tries, 1000), closed.signal).catch(() => undefined);
      }
    }
  };

  /** Until the connection has been away, or the server has forgotten who reads: then again from the last sequence. */
  const readOn = async () => {
    const persistently = { ...patience, waitMs: Number.POSITIVE_INFINITY, stream };
    const where = await requestWithRetry(bus, lookBack, persistently);
    if (where !== "same") {
      position = 0;
      options.onCut(where);
    }
    const consumer = await requestWithRetry(bus, makeConsumer, persistently);
    if (closed.signal.aborted) return;
    messages = await consumer.consume({ max_messages: 500, idle_heartbeat: heartbeatMs });
    void stopWhenSilent(messages);
    try {
      for await (const message of messages) {
        if (closed.signal.aborted) return;
        // The client makes its consumer anew by itself, and may then begin too early.
        if (message.seq <= position) continue;
        position = message.seq;
        lastRead = { subject: message.subject, at: message.time.getTime() };
        options.onMessage(message);
        for (const wake of waiting) wake();
      }
    } finally {
      messages = undefined;
      const deleted = bus.isConnected() ? consumer.delete().catch(ignoreTransient) : undefined;
      if (closed.signal.aborted) await deleted;
    }
  };

  const makeConsumer = () =>
    bus.js.consumers.get(stream, {
      filter_subjects: filter,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: position + 1,
      inactive_threshold: forgottenMs,
    });

  /** The server that fed this reader may be gone while the connection to another one is well. */
  const stopWhenSilent = async (reading: ConsumerMessages) => {
    for await (const { type } of reading.status()) if (type === "heartbeats_missed") reading.stop();
  };

  /** Numbers are given again after a loss: only what is under the number tells. */
  const lookBack = async () => {
    if (position === 0) return "same";
    const there = await bus.jsm.streams.getMessage(stream, { seq: position });
    if (there?.subject === lastRead?.subject && there?.time.getTime() === lastRead?.at) return "same";
    const through = (await lastThere())?.seq ?? 0;
    return { through, isLoss: there !== null || through < position };
  };

  const lastThere = () => bus.jsm.streams.getMessage(stream, { last_by_subj: filter });

  const fail = (error: unknown) => {
    failure = { error };
    for (const wake of waiting) wake();
    options.onFailure(error);
  };

  const reached = async (sequence: number) => {
    if (position >= sequence) return;
    const stopWaiting = AbortSignal.timeout(waitMs);
    // It is there and does not come: whoever was to send it is gone.
    const impatience = setInterval(() => messages?.stop(), heartbeatMs);
    try {
      await untilReached(sequence, stopWaiting);
    } finally {
      clearInterval(impatience);
    }
  };

  const untilReached = async (sequence: number, stopWaiting: AbortSignal) => {
    for (;;) {
      if (position >= sequence) return;
      if (failure !== undefined) throw failure.error;
      if (closed.signal.aborted) throw closedError(stream);
      if (stopWaiting.aborted) throw noAnswerError(bus, "what is stored there does not come", waitMs);
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          stopWaiting.removeEventListener("abort", wake);
          closed.signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        stopWaiting.addEventListener("abort", wake);
        closed.signal.addEventListener("abort", wake);
      });
    }
  };

  const sync: Feed["sync"] = async (most) => {
    if (closed.signal.aborted) throw closedError(stream);
    if (failure !== undefined) throw failure.error;
    const last = await requestWithRetry(bus, lastThere, { ...patience, ...most, stream });
    if (last !== null) await reached(last.seq);
  };

  const running = run();
  return {
    sync,
    reached,
    readAgain() {
      if (messages === undefined) return;
      position = 0;
      messages.stop();
    },
    close: async () => {
      closed.abort();
      stopListening();
      messages?.stop();
      // A request to a bus that is away ends by itself, later, and nothing comes of it.
      if (bus.isConnected()) await running;
    },
  };
}

/** What is left of a reader at the server goes by itself, sooner or later. */
function ignoreTransient(error: unknown): void {
  if (error instanceof Error) return;
  throw error;
}

/** A server forgets a reader that does not ask for so long. */
const forgottenMs = 30_000;
const heartbeatMs = 1500;
const closedError = (stream: string) => new Error(`${stream} is closed`);
