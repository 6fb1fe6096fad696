import { type Envelope, LiveEvent, TroupeError } from "../protocol/index.ts";

/**
 * Merges the logs of a session into one stream. A subscriber can read the stored events first and then live events,
 * without a gap.
 */
export interface EventHub {
  publish(envelope: Envelope): void;
  subscribe(options?: Subscription): AsyncIterable<Envelope>;
  /** Ends every subscription after its buffered events. */
  close(): void;
}

export interface Subscription {
  /** Yields all stored events first. */
  readonly replay?: boolean;
  /** Starts with events after this call, even for the first subscriber, which otherwise gets the earlier ones. */
  readonly fresh?: boolean;
  /**
   * Like `fresh`, and does not count as the first subscriber. For observers from outside, next to the session's own
   * frontend.
   */
  readonly aside?: boolean;
  readonly signal?: AbortSignal;
}

interface Subscriber {
  push(envelope: Envelope): void;
  end(): void;
}

/** The maximum number of events that a subscriber may fall behind. */
const maxPending = 20_000;

export function createEventHub(readStored: () => Promise<readonly Envelope[]>): EventHub {
  const subscribers = new Set<Subscriber>();
  let closed = false;
  /** Events from before the first subscription. The first subscriber gets them. */
  let bufferedEvents: Envelope[] | undefined = [];
  /** True if more events happened than the buffer holds. */
  let isBufferCut = false;

  return {
    publish(envelope) {
      if (bufferedEvents && bufferedEvents.length >= maxPending) isBufferCut = true;
      else bufferedEvents?.push(envelope);
      for (const subscriber of subscribers) subscriber.push(envelope);
    },
    subscribe({ replay = false, fresh = false, aside = false, signal } = {}) {
      let waiting: Envelope[] = fresh || aside ? [] : (bufferedEvents ?? []);
      let ended = closed;
      // A replay reads the lost events from the store.
      let overflowed = isBufferCut && !replay && !fresh && !aside;
      if (!aside) {
        bufferedEvents = undefined;
        isBufferCut = false;
      }
      let wake: (() => void) | undefined;
      const notify = () => {
        wake?.();
        wake = undefined;
      };
      const subscriber: Subscriber = {
        push(envelope) {
          if (waiting.length >= maxPending) overflowed = true;
          else waiting.push(envelope);
          notify();
        },
        end() {
          ended = true;
          notify();
        },
      };
      // Register now, not at the first read, so that no event in between is lost.
      if (!closed) subscribers.add(subscriber);
      const leave = () => {
        subscribers.delete(subscriber);
        subscriber.end();
      };
      signal?.addEventListener("abort", leave, { once: true });

      return (async function* () {
        try {
          const seen = new Map<string, number>();
          if (replay) {
            for (const envelope of await readStored()) {
              seen.set(envelope.agent, envelope.seq);
              yield envelope;
            }
          }
          for (;;) {
            const ready = waiting;
            waiting = [];
            for (const envelope of ready) {
              if (!isLive(envelope) && envelope.seq <= (seen.get(envelope.agent) ?? 0)) continue;
              yield envelope;
            }
            if (waiting.length > 0) continue;
            if (overflowed)
              throw new TroupeError(
                "slow_reader",
                `a subscriber fell ${maxPending} events behind. Subscribe again with replay.`,
              );
            if (ended || signal?.aborted) return;
            await new Promise<void>((resolve) => (wake = resolve));
          }
        } finally {
          leave();
          signal?.removeEventListener("abort", leave);
        }
      })();
    },
    close() {
      closed = true;
      for (const subscriber of subscribers) subscriber.end();
      subscribers.clear();
    },
  };
}

const liveTypes: ReadonlySet<string> = new Set(LiveEvent.options.map((option) => option.shape.type.value));
const isLive = (envelope: Envelope) => liveTypes.has(envelope.event.type);
