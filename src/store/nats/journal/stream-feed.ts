import { type ConsumerMessages, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { withTimeLimit } from "../../../platform/index.ts";
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
import type { StreamContext } from "../connection/stream-context.ts";

/** Reads all messages on some subjects of a stream in order, from the beginning and then as they arrive. */
export interface Feed {
  /** Resolves once every message that the stream had at the time of the call is delivered. */
  sync(most?: { readonly waitMs: number }): Promise<void>;
  /** Resolves once the message with this sequence number is delivered. */
  reached(sequence: number): Promise<void>;
  /** Delivers everything again from the beginning. */
  readAgain(): void;
  close(): Promise<void>;
}

export interface FeedOptions extends StreamContext {
  readonly filter: string;
  readonly onMessage: (message: JsMsg) => void;
  /**
   * The last message that was read no longer exists. Everything is delivered again from the beginning, through this
   * sequence number. `isLoss`: another message has its number, so acknowledged messages are lost; otherwise it may have
   * been purged.
   */
  readonly onCut: (cut: { readonly through: number; readonly isLoss: boolean }) => void;
  /** Called when the feed has stopped for good. */
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
        const final = finalError(bus, error);
        if (final !== undefined) return fail(final);
        await clock.sleep(Math.min(50 * 2 ** tries, 1000), closed.signal).catch(() => undefined);
      }
    }
  };

  /**
   * Runs until the connection breaks or the server forgets the consumer. The next run starts after the last sequence
   * number.
   */
  const readOn = async () => {
    const persistently = { ...patience, waitMs: Number.POSITIVE_INFINITY, stream };
    const where = await requestWithRetry(bus, lookBack, persistently);
    if (where !== "same") {
      position = 0;
      options.onCut(where);
    }
    const consumer = await requestWithRetry(bus, () => makeConsumer(options, position + 1), persistently);
    if (closed.signal.aborted) return;
    messages = await consumer.consume({ max_messages: 500, idle_heartbeat: heartbeatMs });
    void stopWhenSilent(messages);
    try {
      for await (const message of messages) {
        if (closed.signal.aborted) return;
        // The client recreates its consumer by itself and may then start too early.
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

  /** Numbers are reused after a loss, so only the content under the number shows it. */
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
    // The message exists but does not arrive: the server that should send it is gone.
    const impatience = setInterval(() => messages?.stop(), heartbeatMs);
    try {
      await withTimeLimit(patience.clock, waitMs, (late) => untilReached(sequence, late));
    } finally {
      clearInterval(impatience);
    }
  };

  const untilReached = async (sequence: number, stopWaiting: AbortSignal) => {
    for (;;) {
      if (position >= sequence) return;
      if (failure !== undefined) throw failure.error;
      if (closed.signal.aborted) throw closedError(stream);
      if (stopWaiting.aborted) throw noAnswerError(bus, "a stored message does not arrive", waitMs);
      await nextWake(waiting, [stopWaiting, closed.signal]);
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
      // A request to an unreachable bus ends by itself later, without effect.
      if (bus.isConnected()) await running;
    },
  };
}

/** Returns undefined for an error that another attempt may not meet. */
function finalError(bus: Bus, error: unknown): Error | undefined {
  if (TroupeError.is(error)) return error;
  if (isStreamMissing(error)) return teamGoneError(error);
  return isTransient(error) ? undefined : refusedByBusError(bus, error);
}

const makeConsumer = ({ bus, stream, filter }: FeedOptions, from: number) =>
  bus.js.consumers.get(stream, {
    filter_subjects: filter,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    inactive_threshold: forgottenMs,
  });

/** The server of this consumer may be gone while the connection to another server works. */
async function stopWhenSilent(reading: ConsumerMessages): Promise<void> {
  for await (const { type } of reading.status()) if (type === "heartbeats_missed") reading.stop();
}

/** Resolves when `waiting` is woken or a signal aborts. */
function nextWake(waiting: Set<() => void>, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      waiting.delete(wake);
      for (const signal of signals) signal.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    for (const signal of signals) signal.addEventListener("abort", wake);
  });
}

/** The server removes the rest of a consumer by itself. */
function ignoreTransient(error: unknown): void {
  if (error instanceof Error) return;
  throw error;
}

/** A server forgets a consumer that is silent for this long. */
const forgottenMs = 30_000;
const heartbeatMs = 1500;
const closedError = (stream: string) => new Error(`${stream} is closed`);
