import { type Envelope, LiveEvent, TroupeError } from "../protocol/index.ts";

/** Merges the logs of a session into one stream: subscribe first, replay what is stored, go on live, nothing in between. */
export interface EventHub {
  publish(envelope: Envelope): void;
  subscribe(options?: Subscription): AsyncIterable<Envelope>;
  /** Ends every subscription after what it has still to read. */
  close(): void;
}

export interface Subscription {
  /** Everything that ever happened first. */
  readonly replay?: boolean;
  /** Nothing from before this call, not even for the first reader: it has the view of all that. */
  readonly fresh?: boolean;
  /** Fresh, and not the first reader either: for those who look on from outside, beside the face whose session it is. */
  readonly aside?: boolean;
  readonly signal?: AbortSignal;
}

interface Subscriber {
  push(envelope: Envelope): void;
  end(): void;
}

/** How far a reader may fall behind. */
const maxPending = 20_000;

export function createEventHub(readStored: () => Promise<readonly Envelope[]>): EventHub {
  const subscribers = new Set<Subscriber>();
  let closed = false;
  /** What happened before anybody could subscribe; the first reader gets it. */
  let bufferedEvents: Envelope[] | undefined = [];
  /** More happened than is kept for it. */
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
      // A replay has all of it that is stored.
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
      // Registered now, not at the first read: what happens between the two belongs to the reader as well.
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
              throw new TroupeError("slow_reader", `a reader fell ${maxPending} events behind: read again with replay`);
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
