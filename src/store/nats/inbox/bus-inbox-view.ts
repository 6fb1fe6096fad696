import { createHash } from "node:crypto";
import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import type { MailId } from "../../../protocol/index.ts";
import { createInboxFold, type InboxEntry, type InboxFold } from "../../team/inbox/inbox-fold.ts";
import { parseInboxRecord } from "../../team/inbox/inbox-record.ts";
import { parseMessage } from "../journal/journal-message.ts";
import { type Feed, openFeed } from "../journal/stream-feed.ts";
import type { StreamContext } from "../connection/stream-context.ts";

/** One member's inbox as folded in this process, shared by its reader and all viewers. */
export interface InboxView {
  readonly fold: InboxFold;
  /** The sequence number of the last message. */
  readonly last: number;
  /** The position of each outbox. */
  readonly counters: ReadonlyMap<string, number>;
  readonly bytes: number;
  readonly problems: readonly string[];
  /** Unreadable messages that the reader has not quarantined yet. */
  takeDamaged(): readonly DamagedMessage[];
  sync(): Promise<void>;
  reached(sequence: number): Promise<void>;
  /** Called for new mail. `failed` means that no more will arrive. */
  onArrival(listener: (arrived: readonly InboxEntry[], failed?: { readonly error: unknown }) => void): () => void;
  close(): Promise<void>;
}

export interface DamagedMessage {
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly reason: string;
}

export interface InboxViewOptions extends StreamContext {
  readonly subject: string;
}

const Mails = z.object({ o: z.string(), n: z.number().int().positive(), records: z.array(z.unknown()) });
/** Replaces everything before it. The reader writes it when most of that is read. */
export const InboxSnapshot = z.object({
  counters: z.record(z.string(), z.number().int()),
  records: z.array(z.unknown()),
});

export function openInboxView(options: InboxViewOptions): InboxView {
  const { subject } = options;
  let fold = createInboxFold({ keepsRead: true });
  let counters = new Map<string, number>();
  let last = 0;
  let bytes = 0;
  /** Messages up to here are read a second time after a loss. */
  let rereadThrough = 0;
  let damaged: DamagedMessage[] = [];
  let failure: { readonly error: unknown } | undefined;
  const problems: string[] = [];
  const listeners = new Set<(arrived: readonly InboxEntry[], failed?: { readonly error: unknown }) => void>();

  const take = (message: JsMsg) => {
    last = message.seq;
    bytes += message.data.length;
    const value = parseMessage(message);
    const snapshot = InboxSnapshot.safeParse(value);
    const arrived = snapshot.success ? begin(snapshot.data, message) : add(value, message);
    if (arrived.length > 0) for (const listener of listeners) listener(arrived);
  };

  const add = (value: unknown, message: JsMsg): readonly InboxEntry[] => {
    const mails = Mails.safeParse(value);
    if (!mails.success) return quarantine(message.data, "it is not an inbox message");
    const { o, n, records } = mails.data;
    return records.flatMap((record, index) => addOne(record, { outbox: o, n: n + index }));
  };

  const addOne = (value: unknown, { outbox, n }: { outbox: string; n: number }): readonly InboxEntry[] => {
    const before = counters.get(outbox) ?? 0;
    if (n > before + 1 && (before > 0 || last > 0)) missed(outbox, n - before - 1);
    if (n > before) counters.set(outbox, n);
    const parsed = parseInboxRecord(value);
    if (!parsed.ok) return quarantine(Buffer.from(JSON.stringify(value)), parsed.reason);
    // Sent again after an apparent failure, long after it was read and dropped.
    if (n <= before && "mail" in parsed.record && isForgotten(parsed.record.mail.id)) return [];
    const entry = fold.apply(parsed.record, 0);
    return entry === undefined ? [] : [entry];
  };

  const isForgotten = (id: MailId) =>
    !fold.entries.has(id) && fold.compactedThrough !== undefined && id <= fold.compactedThrough;

  const missed = (outbox: string, count: number) =>
    note(`${subject}: ${count} ${count === 1 ? "message" : "messages"} of ${outbox} did not arrive.`);

  const quarantine = (data: Uint8Array, reason: string): readonly InboxEntry[] => {
    const digest = createHash("sha256").update(data).digest("hex").slice(0, 32);
    if (fold.aside.has(digest)) return [];
    damaged.push({ bytes: data, digest, reason });
    note(`${subject}, message ${last}: ${reason}`);
    return [];
  };

  const note = (problem: string) => {
    if (problems.length < maxProblems && !problems.includes(problem)) problems.push(problem);
  };

  /** A process that has folded everything before it gets nothing new from a snapshot. */
  const begin = (snapshot: z.infer<typeof InboxSnapshot>, message: JsMsg): readonly InboxEntry[] => {
    const before = fold;
    // After a loss the local state knows more than the stream.
    if (message.seq > rereadThrough) {
      fold = createInboxFold({ keepsRead: true });
      counters = new Map(Object.entries(snapshot.counters));
      bytes = message.data.length;
    }
    const arrived: InboxEntry[] = [];
    for (const value of snapshot.records) {
      const parsed = parseInboxRecord(value);
      const entry = parsed.ok ? fold.apply(parsed.record, 0) : undefined;
      if (entry !== undefined && !before.entries.has(entry.id)) arrived.push(entry);
    }
    damaged = damaged.filter(({ digest }) => !fold.aside.has(digest));
    return arrived;
  };

  const feed: Feed = openFeed({
    ...options,
    filter: subject,
    onMessage: take,
    onCut: ({ through, isLoss }) => {
      last = 0;
      rereadThrough = through;
      if (!isLoss) return;
      note(`${subject}: the bus lost messages that it had acknowledged. Their senders send them again.`);
    },
    onFailure: (error) => {
      failure = { error };
      for (const listener of listeners) listener([], failure);
    },
  });

  return {
    get fold() {
      return fold;
    },
    get last() {
      return last;
    },
    get counters() {
      return counters;
    },
    get bytes() {
      return bytes;
    },
    problems,
    takeDamaged: () => damaged.splice(0),
    sync: () => feed.sync(),
    reached: (sequence) => feed.reached(sequence),
    onArrival: (listener) => {
      listeners.add(listener);
      if (failure !== undefined) listener([], failure);
      return () => void listeners.delete(listener);
    },
    close: () => feed.close(),
  };
}

const maxProblems = 20;
