import { type CreateId, createSerialQueue } from "../../../platform/index.ts";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import { createChangeFeed } from "../../team/journal/change-feed.ts";
import type { Journal, WriteResult } from "../../team/journal/journal.ts";
import type { JournalFold } from "../../team/journal/journal-fold.ts";
import type { JournalStateOptions } from "../../team/journal/journal-state.ts";
import { type RetryLimits, publish } from "../connection/bus-request.ts";
import { noAnswerError } from "../connection/bus-errors.ts";
import { createBusJournalReader } from "./bus-journal-reader.ts";
import type { BusHeader } from "./journal-message.ts";
import { type FeedOptions, openFeed } from "./stream-feed.ts";
import type { StreamContext } from "../connection/stream-context.ts";

export interface BusJournalOptions extends StreamContext {
  readonly subject: string;
  readonly createId: CreateId;
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
  options: BusJournalOptions & Pick<JournalStateOptions<Change>, "onPast">,
): Promise<Journal<State, Entry, Change, Refusal>> {
  const { bus, stream, subject, clock, createId, limitBytes } = options;
  const closed = new AbortController();
  const patience: RetryLimits = { clock, waitMs: options.waitMs, signal: closed.signal };
  const queue = createSerialQueue();
  let isOpen = false;
  const feed = createChangeFeed<Change>({ watch: () => nothing, hold: () => nothing, refresh: nothing });
  const reader = createBusJournalReader(fold, { ...options, onChange: feed.push, isOpen: () => isOpen });
  const { folded } = reader;

  /** The stream lost acknowledged records. The first process that notices writes the known state again. */
  const onCut: FeedOptions["onCut"] = ({ through, isLoss }) => {
    reader.readAgain({ through, isLoss });
    const epoch = reader.header?.epoch ?? 0;
    const restore = async () => {
      await reading.reached(through);
      // Another process has compacted it, so nothing is lost.
      if (!isLoss && reader.header !== undefined && reader.header.epoch > epoch) return;
      folded.note(`${subject}: the bus lost records that it had acknowledged; this process restores them.`);
      const next = headerNow();
      if (next !== undefined) await putSnapshot({ ...next, repairs: true }, reader.last, { ...options, patience });
    };
    queue.run(restore).catch((error: unknown) => folded.note(`cannot repair ${subject}: ${messageOf(error)}`));
  };

  const headerNow = (): BusHeader | undefined => {
    const { header } = reader;
    return header && { ...header, repairs: undefined, epoch: header.epoch + 1, snapshot: fold.snapshot(folded.state) };
  };

  const write = (entry: Entry): Promise<WriteResult<Change, Refusal>> =>
    queue.run(async () => {
      const decided = await append(entry);
      if (reader.bytes > Math.max(limitBytes, 4 * reader.headerBytes)) await compact();
      return decided;
    });

  const append = async (entry: Entry): Promise<WriteResult<Change, Refusal>> => {
    const id = createId<string>("rec");
    const deadline = clock.monotonic() + options.waitMs;
    folded.own.set(id, undefined);
    try {
      for (let tries = 0; clock.monotonic() < deadline; tries++) {
        const known = fold.refusalOf(folded.state, entry);
        // Read the latest state before refusing.
        if (known !== undefined) {
          await reading.sync();
          const refusal = folded.own.get(id) === undefined ? fold.refusalOf(folded.state, entry) : undefined;
          if (refusal !== undefined) return { ok: false, refusal };
        }
        const decided = folded.own.get(id) ?? (await tryAppend({ id, entry, tries }));
        if (decided !== undefined) return decided;
      }
      throw noAnswerError(bus, "other processes keep writing to it, or the answer was lost", options.waitMs);
    } finally {
      folded.own.delete(id);
    }
  };

  /** Returns undefined if another writer was first. */
  const tryAppend = async ({ id, entry, tries }: { id: string; entry: Entry; tries: number }) => {
    const payload = JSON.stringify({ id, entry });
    const ack = await publish(bus, { stream, subject, payload, id: `${id}.${tries}`, after: reader.last }, patience);
    if (ack === "conflict") await reading.sync();
    else await reading.reached(ack.seq);
    return folded.own.get(id);
  };

  /** The write itself has succeeded, so a failed compaction must not make it fail. */
  const compact = async () => {
    const next = headerNow();
    try {
      if (next !== undefined) await putSnapshot(next, reader.last, { ...options, patience });
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      folded.note(`cannot compact ${subject}: ${error.message}`);
    }
  };

  const reading = openFeed({
    ...options,
    filter: subject,
    onMessage: reader.take,
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
    read: () => folded.state,
    fresh: async () => {
      await reading.sync();
      return folded.state;
    },
    write,
    follow: feed.follow,
    history: async () => {
      const past: Change[] = [];
      const again = await openBusJournal(fold, { ...options, onPast: (change) => void past.push(change) });
      await again.close();
      return past;
    },
    problems: folded.problems,
    close: async () => {
      await queue.settled();
      closed.abort();
      feed.close();
      await reading.close();
    },
  };
}

/** Stores a snapshot and removes the records before it, unless another record came first or it is too large. */
async function putSnapshot(
  next: BusHeader,
  after: number,
  { bus, stream, subject, createId, patience }: BusJournalOptions & { readonly patience: RetryLimits },
): Promise<void> {
  const payload = JSON.stringify(next);
  if (payload.length * 3 > bus.maxPayload() && Buffer.byteLength(payload) > bus.maxPayload() - headroom) return;
  const ack = await publish(bus, { stream, subject, payload, id: createId<string>("rec"), after }, patience);
  if (ack !== "conflict") await bus.jsm.streams.purge(stream, { filter: subject, seq: ack.seq });
}

const nothing = () => undefined;
/** Reserved for the data around a payload. */
const headroom = 4096;
