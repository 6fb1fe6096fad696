import type { Envelope } from "../protocol/index.ts";

export interface StreamWriter {
  send(event: string, data: unknown): void;
  sendEnvelopes(envelopes: readonly Envelope[]): void;
  /** Resolves when there is space for more. A producer of much data waits for it after each piece. */
  waitForRoom(): Promise<void>;
}

/** Buffers data for one connection: ordered, bounded, and combined into few messages. */
export interface StreamBuffer extends StreamWriter {
  /** Returns a writer whose messages carry the name as their id. Several pages share a connection this way. */
  channel(name: string): StreamWriter;
  /** Sends an empty comment as a heartbeat. */
  keepAlive(): void;
  /** Resolves when there is data to take, or when it is closed. */
  waitForData(): Promise<void>;
  /** True if there is enough data for a full chunk. */
  hasFullChunk(): boolean;
  /** Returns the waiting data in wire format, up to a limit, or undefined if there is none. */
  takeChunk(): string | undefined;
  close(): void;
}

/** Maximum number of envelopes in one message. */
const maxEnvelopes = 500;
/** This many envelopes at once become a separate message. Fewer are combined with others. */
const batchSize = 100;
/** Above this size producers wait. A single piece may exceed it. */
const maxBufferedBytes = 1024 * 1024;
/** The size of a chunk. It is smaller than a message of many envelopes, so that each such message is sent at once. */
const chunkBytes = 128 * 1024;

export function createStreamBuffer(): StreamBuffer {
  /** Complete messages, or envelopes to combine into one. */
  let waiting: Entry[] = [];
  let first = 0;
  let size = 0;
  let closed = false;
  const roomLatch = createLatch();
  const dataLatch = createLatch();

  const push = (entry: Entry) => {
    if (closed) return;
    waiting.push(entry);
    size += entry.text.length;
    dataLatch.open();
  };
  const shift = (): Entry | undefined => {
    const entry = waiting[first];
    if (entry === undefined) return undefined;
    first += 1;
    size -= entry.text.length;
    if (first === waiting.length || first >= 10_000) {
      waiting = waiting.slice(first);
      first = 0;
    }
    return entry;
  };
  const takeEnvelopes = (most: number): string => {
    const texts: string[] = [];
    const channel = waiting[first]?.channel;
    let length = 0;
    const isNext = (entry: Entry | undefined) => entry?.kind === "envelope" && entry.channel === channel;
    while (isNext(waiting[first]) && texts.length < maxEnvelopes && length < most) {
      const text = shift()?.text ?? "";
      texts.push(text);
      length += text.length;
    }
    return message({ channel, event: "envelopes", json: `[${texts.join(",")}]` });
  };
  const waitForRoom = () => (size < maxBufferedBytes || closed ? Promise.resolve() : roomLatch.opened());
  const writer = (channel?: string): StreamWriter => {
    const send = (event: string, data: unknown) =>
      push({ kind: "message", channel, text: message({ channel, event, json: JSON.stringify(data) }) });
    return {
      send,
      sendEnvelopes(envelopes) {
        let at = 0;
        for (; envelopes.length - at >= batchSize; at += maxEnvelopes)
          send("envelopes", envelopes.slice(at, at + maxEnvelopes));
        for (const envelope of envelopes.slice(at)) push({ kind: "envelope", channel, text: JSON.stringify(envelope) });
      },
      waitForRoom,
    };
  };

  return {
    ...writer(),
    channel: writer,
    keepAlive() {
      if (waiting.length === 0) push({ kind: "message", channel: undefined, text: ":\n\n" });
    },
    waitForData: () => (waiting.length > 0 || closed ? Promise.resolve() : dataLatch.opened()),
    hasFullChunk: () => size >= chunkBytes,
    takeChunk() {
      let piece = "";
      while (piece.length < chunkBytes) {
        const next = waiting[first];
        if (next === undefined) break;
        piece += next.kind === "envelope" ? takeEnvelopes(chunkBytes - piece.length) : (shift()?.text ?? "");
      }
      if (size < maxBufferedBytes) roomLatch.open();
      return piece === "" ? undefined : piece;
    },
    close() {
      closed = true;
      waiting = [];
      first = 0;
      size = 0;
      roomLatch.open();
      dataLatch.open();
    },
  };
}

interface Entry {
  readonly kind: "message" | "envelope";
  readonly channel: string | undefined;
  readonly text: string;
}

/** JSON escapes line breaks, so one data line holds it. No text can end the message or start another. */
const message = ({ channel, event, json }: { channel: string | undefined; event: string; json: string }) =>
  `${channel === undefined ? "" : `id: ${channel}\n`}event: ${event}\ndata: ${json}\n\n`;

/** Releases all waiters when it opens, then closes again. */
function createLatch(): { open(): void; opened(): Promise<void> } {
  let waiters: (() => void)[] = [];
  return {
    open() {
      const through = waiters;
      waiters = [];
      for (const resolve of through) resolve();
    },
    opened: () => new Promise((resolve) => waiters.push(resolve)),
  };
}
