import type { SessionDirectory } from "../session/index.ts";
import { createEventStream, type StreamPace } from "./event-stream.ts";
import { type FollowOptions, followSessions } from "./follow-sessions.ts";
import { createStreamBuffer } from "./stream-buffer.ts";

/** The streams of all open pages. */
export interface StreamRegistry {
  /** Returns undefined if there are too many. */
  open(
    what: Pick<FollowOptions, "session" | "after">,
    disconnect: () => void,
  ): ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Ends all streams. Resolves when no reader runs for them. */
  close(): Promise<void>;
}

export interface StreamRegistryOptions {
  readonly sessionDirectory: SessionDirectory;
  readonly most: number;
  readonly pace: StreamPace;
  readonly onFailure: (error: unknown) => void;
}

export function createStreamRegistry({
  sessionDirectory,
  most,
  pace,
  onFailure,
}: StreamRegistryOptions): StreamRegistry {
  const open = new Set<AbortController>();
  /** Includes readers of closed pages, until they notice the abort. */
  const reading = new Set<Promise<void>>();
  let closed = false;
  return {
    open(what, cutConnection) {
      if (closed || open.size >= most) return undefined;
      const closing = new AbortController();
      const outbox = createStreamBuffer();
      const disconnect = () => {
        closing.abort();
        cutConnection();
      };
      const body = createEventStream({ outbox, closed: closing, pace, disconnect: cutConnection });
      const following = followSessions({
        ...what,
        sessionDirectory,
        outbox,
        signal: closing.signal,
        disconnect,
        onFailure,
      });
      open.add(closing);
      reading.add(following);
      void following.then(() => reading.delete(following));
      // A closed page frees its slot at once, even while its reader still runs.
      closing.signal.addEventListener("abort", () => open.delete(closing), { once: true });
      return body;
    },
    async close() {
      closed = true;
      for (const closing of open) closing.abort();
      await Promise.all(reading);
    },
  };
}
