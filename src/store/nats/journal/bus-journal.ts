import type { JsMsg } from "@nats-io/jetstream";
import type { Clock, CreateId } from "../../../platform/index.ts";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import { createChangeFeed } from "../../team/journal/change-feed.ts";
import type { Journal, WriteResult } from "../../team/journal/journal.ts";
import type { JournalFold } from "../../team/journal/journal-fold.ts";
import { damagedHeaderError, newerFormatError } from "../../team/journal/journal-part.ts";
import { type RetryLimits, publish } from "../connection/bus-request.ts";
import type { Bus } from "../connection/bus.ts";
import { noAnswerError } from "../connection/bus-errors.ts";
import { BusHeader, JournalMessage, messageAfter, parseMessage } from "./journal-message.ts";
import { type FeedOptions, openFeed } from "./stream-feed.ts";

export interface BusJournalOptions {
  readonly bus: Bus;
  readonly stream: string;
  readonly subject: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly waitMs: number;
  /** The journal is compacted when it has more than this after its last snapshot. */
  readonly limitBytes: number;
}

/**
 * A journal as one subject of a stream, where the file store uses a line file. Each record names the record it follows
 * and is stored only there. A writer thus notices a record in between, and a reader notices a missing one. The position
 * in the stream still decides the effect of a record, so correctness does not depend on that check.
 */
export async function openBusJournal<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  options: BusJournalOptions & { readonly onPast?: (change: Change) => void },
): Promise<Journal<State, Entry, Change, Refusal>> {
  const { bus, stream, subject, clock, createId, limitBytes } = options;
  const closed = new AbortController();
  const patience: RetryLimits = { clock, waitMs: options.waitMs, signal: closed.signal };
  let state = fold.empty();
  let header: BusHeader | undefined;
  let headerBytes = 0;
  let bytes = 0;
  let last = 0;
  /** The local state may be incomplete, so the next snapshot replaces it. */
  let isBehind = false;
  /** Messages up to here are read a second time after a loss. Only records that others wrote since then are new. */
  let rereadThrough = 0;
  let isRepairing = false;
  let isOpen = false;
  let lastTurn: Promise<unknown> = Promise.resolve();
  const seen = new Set<string>();
  const own = new Map<string, Decided<Change, Refusal> | undefined>();
  const problems: string[] = [];

  const take = (message: JsMsg) => {
    const after = messageAfter(message);
    const value = parseMessage(message);
    const snapshot = BusHeader.safeParse(value);
    if (header === undefined && !snapshot.success) throw damagedHeaderError(subject);
    const isAgain = message.seq <= rereadThrough;
    if (isAgain && snapshot.success && !isRepairing) isBehind = true;
    if (header !== undefined && after !== undefined && after > last && !isAgain) {
      isBehind = true;
      if (!snapshot.success) note(`${subject}: records between ${last} and ${message.seq} are missing.`);
    }
    last = message.seq;
    if (snapshot.success && isAgain && isKnownAlready(snapshot.data)) return;
    if (snapshot.success) return begin(snapshot.data, message.data.length);
    bytes += message.data.length;
    const record = JournalMessage.safeParse(value);
    const entry = record.success ? fold.entry.safeParse(record.data.entry) : undefined;
    if (!record.success || !entry?.success) return note(`${subject}, ${message.seq}: a record in an unknown format.`);
    apply(record.data.id, entry.data);
  };

  const isKnownAlready = (next: BusHeader) =>
    header?.journal === next.journal && (isRepairing || next.epoch <= header.epoch);

  const begin = (next: BusHeader, size: number) => {
    if (next.version > fold.version) throw newerFormatError(subject, next.version);
    const isKnown = header !== undefined && header.journal === next.journal && !isBehind && next.repairs !== true;
    if (!isKnown) {
      const restored = fold.restore(next.snapshot, subject);
      const missed = isOpen ? fold.difference(state, restored) : [];
      if (options.onPast) fold.difference(state, restored).forEach(options.onPast);
      state = restored;
      for (const change of missed) feed.push(change);
    }
    header = next;
    headerBytes = size;
    bytes = 0;
    isBehind = false;
    forgetOldest(seen);
  };

  const apply = (id: string, entry: Entry) => {
    // Sent twice because the first answer did not arrive.
    if (seen.has(id)) return;
    seen.add(id);
    const refusal = fold.refusalOf(state, entry);
    const change = refusal === undefined ? fold.apply(state, entry) : undefined;
    if (own.has(id))
      own.set(id, change === undefined ? { ok: false, refusal: refusal as Refusal } : { ok: true, change });
    if (change === undefined) return;
    options.onPast?.(change);
    if (isOpen) feed.push(change);
  };

  const note = (problem: string) => {
    if (problems.length < maxProblems && !problems.includes(problem)) problems.push(problem);
  };

  /** The stream lost acknowledged records. The first process that notices writes the known state again. */
  const onCut: FeedOptions["onCut"] = ({ through, isLoss }) => {
    last = 0;
    rereadThrough = through;
    isRepairing = isLoss;
    const epoch = header?.epoch ?? 0;
    const restore = async () => {
      await reading.reached(through);
      // Another process has compacted it, so nothing is lost.
      if (!isLoss && header !== undefined && header.epoch > epoch) return;
      note(`${subject}: the bus lost records that it had acknowledged; this process restores them.`);
      const next = headerNow();
      if (next !== undefined) await put({ ...next, repairs: true }, last);
    };
    inTurn(restore).catch((error: unknown) => note(`cannot repair ${subject}: ${messageOf(error)}`));
  };

  const headerNow = (): BusHeader | undefined =>
    header && { ...header, repairs: undefined, epoch: header.epoch + 1, snapshot: fold.snapshot(state) };

  const put = async (next: BusHeader, after: number) => {
    const payload = JSON.stringify(next);
    if (payload.length * 3 > bus.maxPayload() && Buffer.byteLength(payload) > bus.maxPayload() - headroom) return false;
    const id = createId<string>("rec");
    const ack = await publish(bus, { stream, subject, payload, id, after }, patience);
    if (ack === "conflict") return false;
    await bus.jsm.streams.purge(stream, { filter: subject, seq: ack.seq });
    return true;
  };

  const write = (entry: Entry): Promise<WriteResult<Change, Refusal>> =>
    inTurn(async () => {
      const decided = await append(entry);
      if (bytes > Math.max(limitBytes, 4 * headerBytes)) await compact();
      return decided;
    });

  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const result = lastTurn.then(action);
    lastTurn = result.catch(() => undefined);
    return result;
  };

  const append = async (entry: Entry): Promise<Decided<Change, Refusal>> => {
    const id = createId<string>("rec");
    const deadline = clock.monotonic() + options.waitMs;
    own.set(id, undefined);
    try {
      for (let tries = 0; clock.monotonic() < deadline; tries++) {
        const known = fold.refusalOf(state, entry);
        // Read the latest state before refusing.
        if (known !== undefined) {
          await reading.sync();
          const refusal = own.get(id) === undefined ? fold.refusalOf(state, entry) : undefined;
          if (refusal !== undefined) return { ok: false, refusal };
        }
        const decided = own.get(id) ?? (await tryAppend({ id, entry, tries }));
        if (decided !== undefined) return decided;
      }
      throw noAnswerError(bus, "other processes keep writing to it, or the answer was lost", options.waitMs);
    } finally {
      own.delete(id);
    }
  };

  /** Returns undefined if another writer was first. */
  const tryAppend = async ({ id, entry, tries }: { id: string; entry: Entry; tries: number }) => {
    const payload = JSON.stringify({ id, entry });
    const ack = await publish(bus, { stream, subject, payload, id: `${id}.${tries}`, after: last }, patience);
    if (ack === "conflict") await reading.sync();
    else await reading.reached(ack.seq);
    return own.get(id);
  };

  /** The write itself has succeeded, so a failed compaction must not make it fail. */
  const compact = async () => {
    const next = headerNow();
    try {
      if (next !== undefined) await put(next, last);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      note(`cannot compact ${subject}: ${error.message}`);
    }
  };

  const feed = createChangeFeed<Change>({ watch: () => nothing, hold: () => nothing, refresh: nothing });
  const reading = openFeed({
    ...options,
    filter: subject,
    onMessage: take,
    onCut,
    onFailure: (error) => feed.fail(error),
  });
  try {
    await reading.sync();
  } catch (error) {
    await reading.close();
    throw error;
  }
  isOpen = true;

  return {
    read: () => state,
    fresh: async () => {
      await reading.sync();
      return state;
    },
    write,
    follow: feed.follow,
    history: async () => {
      const past: Change[] = [];
      const again = await openBusJournal(fold, { ...options, onPast: (change) => void past.push(change) });
      await again.close();
      return past;
    },
    problems: () => [...problems],
    close: async () => {
      await lastTurn;
      closed.abort();
      feed.close();
      await reading.close();
    },
  };
}

type Decided<Change, Refusal> = WriteResult<Change, Refusal>;

/** Ids are in order of arrival, and a repeated one arrives soon. */
function forgetOldest(ids: Set<string>): void {
  let over = ids.size - maxSeen;
  for (const id of ids) {
    if (over-- <= 0) return;
    ids.delete(id);
  }
}

const maxSeen = 2000;
const nothing = () => undefined;
const maxProblems = 20;
/** Reserved for the data around a payload. */
const headroom = 4096;
