import type { StreamBuffer } from "./stream-buffer.ts";

export interface EventStreamOptions {
  readonly outbox: StreamBuffer;
  /** Aborts when the page has gone, the server closes, or the reader was too slow; the stream ends then. */
  readonly closed: AbortController;
  readonly pace: StreamPace;
  /** Ends the connection at once, also where nobody reads what was sent. */
  readonly disconnect: () => void;
}

export interface StreamPace {
  /** What comes within this time after a piece goes with the next one; after a silence everything goes at once. */
  readonly gapMs: number;
  readonly keepAliveMs: number;
  /** Who takes nothing for so long while something is there is cut off; it comes back with its cursor. */
  readonly stallMs: number;
}

export const defaultPace: StreamPace = { gapMs: 8, keepAliveMs: 15_000, stallMs: 30_000 };

/** The body of a stream of events: pulled by the connection, so that what is not taken stays in the outbox, which is bounded. */
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
  /** Runs from the moment a piece is handed out until the connection asks for the next. */
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
    // Nothing is taken out before the connection wants it.
    { highWaterMark: 0 },
  );
}

const pause = (ms: number): Promise<void> | undefined =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
