import type { Envelope } from "../protocol/index.ts";

/** What waits to be sent to one page: in order, bounded, and in as few messages as may be. */
export interface StreamBuffer {
  send(event: string, data: unknown): void;
  sendEnvelopes(envelopes: readonly Envelope[]): void;
  /** A line that says nothing, so that both sides know the other is there. */
  keepAlive(): void;
  /** Resolves when there is room for more: whoever brings much waits for it after each piece. */
  waitForRoom(): Promise<void>;
  /** Resolves when something is there to be taken, or it is closed. */
  waitForData(): Promise<void>;
  /** So much is there that a piece of the stream is full of it. */
  hasFullChunk(): boolean;
  /** All that is there in the form of the wire, up to some size; undefined if nothing is. */
  takeChunk(): string | undefined;
  close(): void;
}

/** One message holds at most so many envelopes. */
const maxEnvelopes = 500;
/** So many that come at once are a message of their own; fewer wait for others to go with. */
const batchSize = 100;
/** From here on those who bring wait. A single piece may go beyond it. */
const maxBufferedBytes = 1024 * 1024;
/** As much is put into one piece of the stream: less than what a message of many holds, so that each goes at once. */
const chunkBytes = 128 * 1024;

export function createStreamBuffer(): StreamBuffer {
  /** Whole messages, or envelopes that are to be put together into one. */
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
    let length = 0;
    while (waiting[first]?.kind === "envelope" && texts.length < maxEnvelopes && length < most) {
      const text = shift()?.text ?? "";
      texts.push(text);
      length += text.length;
    }
    return message("envelopes", `[${texts.join(",")}]`);
  };

  return {
    send: (event, data) => push({ kind: "message", text: message(event, JSON.stringify(data)) }),
    sendEnvelopes(envelopes) {
      let at = 0;
      for (; envelopes.length - at >= batchSize; at += maxEnvelopes)
        push({ kind: "message", text: message("envelopes", JSON.stringify(envelopes.slice(at, at + maxEnvelopes))) });
      for (const envelope of envelopes.slice(at)) push({ kind: "envelope", text: JSON.stringify(envelope) });
    },
    keepAlive() {
      if (waiting.length === 0) push({ kind: "message", text: ":\n\n" });
    },
    waitForRoom: () => (size < maxBufferedBytes || closed ? Promise.resolve() : roomLatch.opened()),
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
  readonly text: string;
}

/** JSON has no line break in it that is not escaped, so one data line holds it; no text can end the message or begin another. */
const message = (event: string, json: string) => `event: ${event}\ndata: ${json}\n\n`;

/** Whoever waits is let through when it opens; then it is shut again. */
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
