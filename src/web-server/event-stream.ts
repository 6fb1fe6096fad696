import type { StreamBuffer } from "./stream-buffer.ts";

export interface EventStreamOptions {
  readonly outbox: StreamBuffer;
  /** Aborts when the page is closed, the server closes, or the reader is too slow. Then the stream ends. */
  readonly closed: AbortController;
  readonly pace: StreamPace;
  /** Closes the connection at once, even if sent data is not read. */
  readonly disconnect: () => void;
}

export interface StreamPace {
  /** Data within this time after a chunk is sent with the next chunk. After a pause data is sent at once. */
  readonly gapMs: number;
  readonly keepAliveMs: number;
  /** A reader that takes no data for this long is disconnected. It reconnects with its cursor. */
  readonly stallMs: number;
}

export const defaultPace: StreamPace = { gapMs: 8, keepAliveMs: 15_000, stallMs: 30_000 };

/** Creates the body of an event stream. The connection pulls it, so unread data stays in the bounded buffer. */
export function createEventStream(options: EventStreamOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { outbox, closed, pace, disconnect } = options;
  const encoder = new TextEncoder();
  let lastAt = Number.NEGATIVE_INFINITY;
  let isCancelled = false;
  const beating = setInterval(() => outbox.keepAlive(), pace.keepAliveMs).unref();
  const end = () => {
    clearInterval(beating);
    clearTimeout(stalled);
    outbox.close();
  };
  closed.signal.addEventListener("abort", end, { once: true });
  /** Runs from the delivery of a chunk until the connection requests the next. */
  let stalled: NodeJS.Timeout | undefined;

  return new ReadableStream(
    {
      async pull(controller) {
        clearTimeout(stalled);
        await outbox.waitForData();
        if (!outbox.hasFullChunk()) await pause(lastAt + pace.gapMs - performance.now());
        if (isCancelled) return;
        const piece = closed.signal.aborted ? undefined : outbox.takeChunk();
        if (piece === undefined) return controller.close();
        lastAt = performance.now();
        controller.enqueue(encoder.encode(piece));
        stalled = setTimeout(() => {
          closed.abort();
          disconnect();
        }, pace.stallMs).unref();
      },
      cancel() {
        isCancelled = true;
        closed.abort();
      },
    },
    // Takes no data before the connection requests it.
    { highWaterMark: 0 },
  );
}

const pause = (ms: number): Promise<void> | undefined =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
