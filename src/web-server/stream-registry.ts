import type { SessionDirectory } from "../session/index.ts";
import { createEventStream, type StreamPace } from "./event-stream.ts";
import { type FollowOptions, followSessions } from "./follow-sessions.ts";
import { createStreamBuffer, type StreamBuffer } from "./stream-buffer.ts";
import { createSessionSummaries } from "./summaries/session-summaries.ts";

type Wanted = Pick<FollowOptions, "session" | "after"> & { readonly withSummaries?: boolean };
type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The streams of all open pages. */
export interface StreamRegistry {
  /** Opens the stream of one page. Returns undefined if there are too many. */
  open(what: Wanted, disconnect: () => void): Body | undefined;
  /** Opens a stream that several pages share. It is empty until they follow something. */
  openShared(stream: string, disconnect: () => void): Body | undefined;
  /** Sends what a page wants over its channel of a shared stream, in place of what it wanted before. */
  follow(at: ChannelName, what: Wanted): "followed" | "no such stream" | "too many";
  unfollow(at: ChannelName): void;
  /** Ends all streams. Resolves when no reader runs for them. */
  close(): Promise<void>;
}

export interface ChannelName {
  readonly stream: string;
  readonly channel: string;
}

export interface StreamRegistryOptions {
  readonly sessionDirectory: SessionDirectory;
  readonly most: number;
  readonly pace: StreamPace;
  readonly onFailure: (error: unknown) => void;
}

interface SharedStream {
  readonly outbox: StreamBuffer;
  readonly channels: Map<string, AbortController>;
}

export function createStreamRegistry(options: StreamRegistryOptions): StreamRegistry {
  const { sessionDirectory, most, pace, onFailure } = options;
  const connections = new Set<AbortController>();
  const shared = new Map<string, SharedStream>();
  /** Includes readers of closed pages, until they notice the abort. */
  const reading = new Set<Promise<void>>();
  let closed = false;
  const channelCount = () => [...shared.values()].reduce((sum, { channels }) => sum + channels.size, 0);
  const isFull = () => closed || connections.size + channelCount() >= most;

  const connect = (cutConnection: () => void) => {
    const closing = new AbortController();
    const outbox = createStreamBuffer();
    const body = createEventStream({ outbox, closed: closing, pace, disconnect: cutConnection });
    connections.add(closing);
    // A closed page frees its slot at once, even while its reader still runs.
    closing.signal.addEventListener("abort", () => connections.delete(closing), { once: true });
    return { closing, outbox, body };
  };
  const summaries = createSessionSummaries(sessionDirectory, onFailure);
  const read = ({ withSummaries, ...what }: Wanted & Pick<FollowOptions, "outbox" | "signal" | "disconnect">) => {
    const reader = followSessions({ ...what, sessionDirectory, onFailure, ...(withSummaries && { summaries }) });
    reading.add(reader);
    void reader.then(() => reading.delete(reader));
  };

  return {
    open(what, cutConnection) {
      if (isFull()) return undefined;
      const { closing, outbox, body } = connect(cutConnection);
      const disconnect = () => {
        closing.abort();
        cutConnection();
      };
      read({ ...what, outbox, signal: closing.signal, disconnect });
      return body;
    },
    openShared(name, cutConnection) {
      if (isFull() || shared.has(name)) return undefined;
      const { closing, outbox, body } = connect(cutConnection);
      const channels = new Map<string, AbortController>();
      shared.set(name, { outbox, channels });
      const end = () => {
        shared.delete(name);
        for (const channel of channels.values()) channel.abort();
      };
      closing.signal.addEventListener("abort", end, { once: true });
      return body;
    },
    follow({ stream, channel }, what) {
      const at = shared.get(stream);
      if (!at) return "no such stream";
      at.channels.get(channel)?.abort();
      at.channels.delete(channel);
      if (isFull()) return "too many";
      const closing = new AbortController();
      at.channels.set(channel, closing);
      const writer = at.outbox.channel(channel);
      const disconnect = () => {
        if (closing.signal.aborted) return;
        closing.abort();
        at.channels.delete(channel);
        writer.send("broken", {});
      };
      read({ ...what, outbox: writer, signal: closing.signal, disconnect });
      return "followed";
    },
    unfollow({ stream, channel }) {
      const channels = shared.get(stream)?.channels;
      channels?.get(channel)?.abort();
      channels?.delete(channel);
    },
    async close() {
      closed = true;
      for (const closing of connections) closing.abort();
      await Promise.all([...reading, summaries.close()]);
    },
  };
}
