import type { JsMsg } from "@nats-io/jetstream";
import type { JournalFold } from "../../team/journal/journal-fold.ts";
import { damagedHeaderError, newerFormatError } from "../../team/journal/journal-part.ts";
import { createJournalState, type JournalState, type JournalStateOptions } from "../../team/journal/journal-state.ts";
import { BusHeader, JournalMessage, messageAfter, parseMessage } from "./journal-message.ts";

/** Folds the messages of a journal. After a loss it folds them a second time. */
export interface BusJournalReader<State, Entry, Change, Refusal> {
  readonly folded: JournalState<State, Entry, Change, Refusal>;
  /** The last snapshot. */
  readonly header: BusHeader | undefined;
  readonly headerBytes: number;
  /** The size of the records after the snapshot. */
  readonly bytes: number;
  /** The sequence number of the last message. */
  readonly last: number;
  take(message: JsMsg): void;
  /** Messages up to here are read a second time. Only records that others wrote since then are new. */
  readAgain(cut: { readonly through: number; readonly isLoss: boolean }): void;
}

export interface BusJournalReaderOptions<Change> extends JournalStateOptions<Change> {
  readonly subject: string;
  /** True once the journal can be followed. */
  readonly isOpen: () => boolean;
}

export function createBusJournalReader<State, Entry, Change, Refusal>(
  fold: JournalFold<State, Entry, Change, Refusal>,
  options: BusJournalReaderOptions<Change>,
): BusJournalReader<State, Entry, Change, Refusal> {
  const { subject } = options;
  const folded = createJournalState(fold, options);
  let header: BusHeader | undefined;
  let headerBytes = 0;
  let bytes = 0;
  let last = 0;
  /** The local state may be incomplete, so the next snapshot replaces it. */
  let isBehind = false;
  let rereadThrough = 0;
  let isRepairing = false;
  const seen = new Set<string>();

  const take = (message: JsMsg) => {
    const after = messageAfter(message);
    const value = parseMessage(message);
    const snapshot = BusHeader.safeParse(value);
    if (header === undefined && !snapshot.success) throw damagedHeaderError(subject);
    const isAgain = message.seq <= rereadThrough;
    if (isAgain && snapshot.success && !isRepairing) isBehind = true;
    if (header !== undefined && after !== undefined && after > last && !isAgain) {
      isBehind = true;
      if (!snapshot.success) folded.note(`${subject}: records between ${last} and ${message.seq} are missing.`);
    }
    last = message.seq;
    if (snapshot.success && isAgain && isKnownAlready(snapshot.data)) return;
    if (snapshot.success) return begin(snapshot.data, message.data.length);
    bytes += message.data.length;
    const record = JournalMessage.safeParse(value);
    const entry = record.success ? fold.entry.safeParse(record.data.entry) : undefined;
    if (!record.success || !entry?.success)
      return folded.note(`${subject}, ${message.seq}: a record in an unknown format.`);
    apply(record.data.id, entry.data);
  };

  const isKnownAlready = (next: BusHeader) =>
    header?.journal === next.journal && (isRepairing || next.epoch <= header.epoch);

  const begin = (next: BusHeader, size: number) => {
    if (next.version > fold.version) throw newerFormatError(subject, next.version);
    const isKnown = header !== undefined && header.journal === next.journal && !isBehind && next.repairs !== true;
    if (!isKnown) {
      folded.restore(fold.restore(next.snapshot, subject), { missed: options.isOpen(), past: true });
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
    folded.apply(id, entry);
  };

  return {
    folded,
    get header() {
      return header;
    },
    get headerBytes() {
      return headerBytes;
    },
    get bytes() {
      return bytes;
    },
    get last() {
      return last;
    },
    take,
    readAgain({ through, isLoss }) {
      last = 0;
      rereadThrough = through;
      isRepairing = isLoss;
    },
  };
}

/** Ids are in order of arrival, and a repeated one arrives soon. */
function forgetOldest(ids: Set<string>): void {
  let over = ids.size - maxSeen;
  for (const id of ids) {
    if (over-- <= 0) return;
    ids.delete(id);
  }
}

const maxSeen = 2000;
