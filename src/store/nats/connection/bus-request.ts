import type { JetStreamPublishOptions, PubAck } from "@nats-io/jetstream";
import { errors, headers } from "@nats-io/transport-node";
import type { Clock } from "../../../platform/index.ts";
import type { Bus } from "./bus.ts";
import {
  apiCode,
  hasNoResponders,
  isTransient,
  isStreamMissing,
  isWrongSequence,
  noAnswerError,
  refusedByBusError,
  teamGoneError,
} from "./bus-errors.ts";

export interface RetryLimits {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** How long to keep trying. */
  readonly waitMs: number;
  /** Stops the attempts earlier. */
  readonly signal?: AbortSignal | undefined;
}

export interface Publication {
  readonly stream: string;
  readonly subject: string;
  readonly payload: string;
  /** The same for every attempt, so that the message is stored only once. */
  readonly id: string;
  /** The sequence number of the last message on this subject. If it differs, nothing is stored. */
  readonly after?: number | undefined;
  /** Replaces all earlier messages on this subject. */
  readonly replaces?: boolean | undefined;
}

/**
 * Resolves when the stream has acknowledged the message, or to "conflict" if another message already follows `after`.
 * Retries with the same id while the bus does not answer, since a failed attempt may have been stored.
 */
export async function publish(bus: Bus, message: Publication, limits: RetryLimits): Promise<PubAck | "conflict"> {
  const { stream, subject, payload, id, after, replaces } = message;
  const options: Partial<JetStreamPublishOptions> = {
    msgID: id,
    expect: { streamName: stream, ...(after !== undefined && { lastSubjectSequence: after }) },
    ...(replaces && { headers: rollup() }),
  };
  try {
    return await requestWithRetry(bus, () => bus.js.publish(subject, payload, options), { ...limits, stream });
  } catch (error) {
    if (isWrongSequence(error)) return "conflict";
    throw error;
  }
}

function rollup() {
  const made = headers();
  made.set("Nats-Rollup", "sub");
  return made;
}

/** Repeats the request until there is an answer, for at most `waitMs`. A refusal of the bus is thrown at once. */
export async function requestWithRetry<T>(
  bus: Bus,
  request: () => Promise<T>,
  { clock, waitMs, signal, stream }: RetryLimits & { readonly stream?: string | undefined },
): Promise<T> {
  const began = clock.monotonic();
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    try {
      return await raceReconnect(bus, request, { maxMs: began + waitMs - clock.monotonic(), signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Reconnected) continue;
      if (isWrongSequence(error)) throw error;
      if (isStreamMissing(error) || apiCode(error) === 10060) throw teamGoneError(error);
      if (!isTransient(error)) throw refusedByBusError(bus, error);
      if (stream !== undefined && hasNoResponders(error) && (await isGone(bus, stream))) throw teamGoneError(error);
      if (clock.monotonic() - began > waitMs) throw noAnswerError(bus, "the request is repeated later", waitMs);
      await clock.sleep(Math.min(50 * 2 ** tries, 1000), signal);
    }
  }
}

/** An answer that was under way when the connection broke never arrives, so the request is repeated at once. */
async function raceReconnect<T>(
  bus: Bus,
  request: () => Promise<T>,
  { maxMs, signal }: { readonly maxMs: number; readonly signal: AbortSignal | undefined },
): Promise<T> {
  const ends: (() => void)[] = [];
  const interrupted = new Promise<never>((_, reject) => {
    ends.push(bus.onReconnect(() => reject(new Reconnected())));
    const onAbort = () => reject(signal?.reason as Error);
    signal?.addEventListener("abort", onAbort);
    ends.push(() => signal?.removeEventListener("abort", onAbort));
    if (maxMs === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => reject(new errors.TimeoutError()), Math.max(maxMs, minWaitMs));
    ends.push(() => clearTimeout(timer));
  });
  const asked = request();
  // The loser of the race may reject later, with no one waiting for it.
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, interrupted]);
  } finally {
    for (const end of ends) end();
  }
}

class Reconnected extends Error {}

/** The minimum wait for one answer, however short the time limit is. */
const minWaitMs = 100;

async function isGone(bus: Bus, stream: string): Promise<boolean> {
  try {
    await bus.jsm.streams.info(stream);
    return false;
  } catch (error) {
    return isStreamMissing(error);
  }
}
