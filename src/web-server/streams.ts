import type { SessionDirectory } from "../session/index.ts";
import { createEventStream, type StreamPace } from "./event-stream.ts";
import { type FollowOptions, followSessions } from "./follow-sessions.ts";
import { createOutbox } from "./outbox.ts";

/** The streams of all pages that are open. */
export interface Streams {
  /** Undefined when there are too many already. */
  open(
    what: Pick<FollowOptions, "session" | "after">,
    cut: () => void,
  ): ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Ends all of them. Resolves when nothing is read for them any more. */
  close(): Promise<void>;
}

export interface StreamsOptions {
  readonly observatory: SessionDirectory;
  readonly most: number;
  readonly pace: StreamPace;
  readonly failed: (error: unknown) => void;
}

export function createStreams({ observatory, most, pace, failed }: StreamsOptions): Streams {
  const open = new Set<AbortController>();
  /** Also for pages that have gone: a moment longer, until whoever reads has noticed. */
  const reading = new Set<Promise<void>>();
  let closed = false;
  return {
    open(what, cutConnection) {
      if (closed || open.size >= most) return undefined;
      const over = new AbortController();
      const outbox = createOutbox();
      const cut = () => {
        over.abort();
        cutConnection();
      };
      const body = createEventStream({ outbox, over, pace, cut: cutConnection });
      const following = followSessions({ ...what, observatory, outbox, signal: over.signal, cut, failed });
      open.add(over);
      reading.add(following);
      void following.then(() => reading.delete(following));
      // A page that has gone makes room at once, whatever is still being read for it.
      over.signal.addEventListener("abort", () => open.delete(over), { once: true });
      return body;
    },
    async close() {
      closed = true;
      for (const over of open) over.abort();
      await Promise.all(reading);
    },
  };
}
