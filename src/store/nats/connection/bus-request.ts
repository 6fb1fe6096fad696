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
  /** How long to go on trying. */
  readonly waitMs: number;
  /** Ends it sooner. */
  readonly signal?: AbortSignal | undefined;
}

export interface Publication {
  readonly stream: string;
  readonly subject: string;
  readonly payload: string;
  /** The same for every try: what is stored once is not stored again. */
  readonly id: string;
  /** Of the last message on this subject: with another one it is not stored. */
  readonly after?: number | undefined;
  /** It takes the place of all before it on this subject. */
  readonly replaces?: boolean | undefined;
}

/**
 * Resolves when the stream has acknowledged it; "conflict" if another message stands where it was to follow. Goes on
 * trying with the same id while the bus does not answer: what ended in an error may have been stored.
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

/** Asks until there is an answer, at most `waitMs`. What the bus says no to is thrown at once. */
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
      if (clock.monotonic() - began > waitMs) throw noAnswerError(bus, "it is tried again later", waitMs);
      await clock.sleep(Math.min(50 * 2 ** tries, 1000), signal);
    }
  }
}

/** An answer that was on its way when the connection broke never comes: it is asked for again at once. */
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
  // The loser of the race fails later, when nobody looks.
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, interrupted]);
  } finally {
    for (const end of ends) end();
  }
}

class Reconnected extends Error {}

/** However short the time is, one answer is waited for this long. */
const minWaitMs = 100;

async function isGone(bus: Bus, stream: string): Promise<boolean> {
  try {
    await bus.jsm.streams.info(stream);
    return false;
  } catch (error) {
    return isStreamMissing(error);
  }
}
