import { createIdFilter, type IdFilter } from "../../../platform/index.ts";
import type { Mail, MailId } from "../../../protocol/index.ts";
import type { ReadMarks } from "./read-marks.ts";
import type { HeldMail } from "./inbox.ts";
import type { InboxRecord } from "./inbox-record.ts";

/** What an inbox comes to, record by record, in the order of its files. */
export interface InboxFold {
  /** In the order in which they came; a mail that comes again stays where it was. Of a fold that keeps only what is unread, that. */
  readonly entries: ReadonlyMap<MailId, InboxEntry>;
  /** In the same order. */
  unread(): readonly InboxEntry[];
  /** Digests of damaged lines that are taken care of. */
  readonly aside: ReadonlySet<string>;
  readonly compactedThrough: MailId | undefined;
  /** How many mails of this file are known, and how many of them are unread. */
  countsOf(segment: number): { readonly held: number; readonly unread: number };
  /** Gives the entry of a mail that was not known. */
  apply(record: InboxRecord, segment: number): InboxEntry | undefined;
  /** The same as a record of marks, for who has the entries at hand. */
  mark(marked: readonly InboxEntry[], state: "delivered" | "read"): void;
  /** Read mails that have come once more since the last call, with no mark behind them yet. */
  takeRepeated(): readonly MailId[];
  /** The mails of a file that are read, and are kept nowhere any more; gives the greatest of their ids. */
  forget(segment: number): MailId | undefined;
}

export interface InboxEntry {
  readonly id: MailId;
  /** Undefined for one that was read, in a fold that keeps only what is unread. */
  mail: Mail | undefined;
  state: "queued" | "delivered" | "read";
  /** Which of the inbox's files it was first found in. */
  readonly segment: number;
}

interface SegmentCount {
  held: number;
  unread: number;
  greatestRead: MailId | undefined;
  /** Those that are in `entries` no longer, for as long as the file is there. */
  readIds: IdFilter | undefined;
  /** More of them, which the next question puts there: who marks thousands does not wait for that. */
  justRead: MailId[];
}

const noneRead = () => ({ greatestRead: undefined, readIds: undefined, justRead: [] });
const maxJustRead = 16_384;

export const heldMail = ({ mail, state }: InboxEntry): HeldMail[] => (mail === undefined ? [] : [{ mail, state }]);

export type InboxFoldOptions =
  | { readonly keepsRead: true }
  /** It does not grow with what was read. `marks` is asked about a mail that comes very late: it may have come before. */
  | { readonly keepsRead: false; readonly marks: ReadMarks };

export function createInboxFold(options: InboxFoldOptions): InboxFold {
  const { keepsRead } = options;
  const entries = new Map<MailId, InboxEntry>();
  /** Holds everything unread; what was read since is swept out when it is half of it. */
  let pending: InboxEntry[] = [];
  let unreadCount = 0;
  const aside = new Set<string>();
  const repeated = new Set<MailId>();
  const counts = new Map<number, SegmentCount>();
  let compactedThrough: MailId | undefined;

  const apply = (record: InboxRecord, segment: number): InboxEntry | undefined => {
    if ("mail" in record) return add(record.mail, segment);
    if ("mark" in record) {
      mark(known(record.ids), record.mark);
      if (record.mark === "read" && repeated.size > 0) for (const id of record.ids) repeated.delete(id);
    } else if ("compacted" in record) compactedThrough = record.compacted;
    else for (const digest of record.aside) aside.add(digest);
    return undefined;
  };

  const add = (mail: Mail, segment: number): InboxEntry | undefined => {
    if (entries.has(mail.id)) return undefined;
    if (wasRead(mail.id)) {
      repeated.add(mail.id);
      return undefined;
    }
    const entry: InboxEntry = { id: mail.id, mail, state: "queued", segment };
    entries.set(mail.id, entry);
    pending.push(entry);
    unreadCount += 1;
    const count = countOf(segment);
    count.held += 1;
    count.unread += 1;
    return entry;
  };

  const wasRead = (id: MailId) => {
    if (options.keepsRead) return false;
    let isInDoubt = false;
    for (const count of counts.values()) {
      settle(count);
      const seen = count.readIds?.has(id) ?? "no";
      if (seen === "yes") return true;
      isInDoubt ||= seen === "maybe";
    }
    return isInDoubt && options.marks.has(id);
  };

  /** Of a mail that is gone, nothing is to be said any more. */
  const known = (ids: readonly MailId[]) => ids.flatMap((id) => entries.get(id) ?? []);

  /** Only forwards. */
  const mark = (marked: readonly InboxEntry[], state: "delivered" | "read") => {
    for (const entry of marked) {
      if (entry.state === "read") continue;
      entry.state = state;
      if (state === "delivered") continue;
      unreadCount -= 1;
      const count = countOf(entry.segment);
      count.unread -= 1;
      if (count.greatestRead === undefined || entry.id > count.greatestRead) count.greatestRead = entry.id;
      if (keepsRead) continue;
      entry.mail = undefined;
      count.justRead.push(entry.id);
      if (count.justRead.length >= maxJustRead) settle(count);
    }
    if (!keepsRead && unreadCount === 0) entries.clear();
    else if (!keepsRead) for (const entry of marked) if (entry.state === "read") entries.delete(entry.id);
    if (pending.length > 2 * unreadCount + 64) sweep();
  };

  const settle = (count: SegmentCount) => {
    if (count.justRead.length === 0) return;
    count.readIds ??= createIdFilter();
    for (const id of count.justRead) count.readIds.add(id);
    count.justRead = [];
  };

  const takeRepeated = () => {
    if (repeated.size === 0) return [];
    const ids = [...repeated];
    repeated.clear();
    return ids;
  };

  const sweep = () => {
    pending = pending.filter(({ state }) => state !== "read");
  };

  const unread = () => {
    if (pending.length > unreadCount) sweep();
    return pending;
  };

  const countOf = (segment: number) => {
    const count = counts.get(segment) ?? { ...noneRead(), held: 0, unread: 0 };
    counts.set(segment, count);
    return count;
  };

  const forget = (segment: number) => {
    const { unread: left, greatestRead } = countOf(segment);
    if (left === 0) counts.delete(segment);
    else counts.set(segment, { ...noneRead(), held: left, unread: left });
    if (keepsRead)
      for (const [id, entry] of entries) if (entry.segment === segment && entry.state === "read") entries.delete(id);
    return greatestRead;
  };

  return {
    entries,
    unread,
    aside,
    get compactedThrough() {
      return compactedThrough;
    },
    countsOf: countOf,
    apply,
    mark,
    takeRepeated,
    forget,
  };
}
