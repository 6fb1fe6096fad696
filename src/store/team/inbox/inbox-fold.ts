import { createIdFilter, type IdFilter } from "../../../platform/index.ts";
import type { Mail, MailId } from "../../../protocol/index.ts";
import type { ReadMarks } from "./read-marks.ts";
import type { HeldMail } from "./inbox.ts";
import type { InboxRecord } from "./inbox-record.ts";

/** The state of an inbox, folded record by record in the order of its files. */
export interface InboxFold {
  /** In order of arrival; repeated mail keeps its position. With `keepsRead: false` only unread mail. */
  readonly entries: ReadonlyMap<MailId, InboxEntry>;
  /** In the same order. */
  unread(): readonly InboxEntry[];
  /** Digests of damaged lines that are already quarantined. */
  readonly aside: ReadonlySet<string>;
  readonly compactedThrough: MailId | undefined;
  /** The number of known mails of this file, and how many of them are unread. */
  countsOf(segment: number): { readonly held: number; readonly unread: number };
  /** Returns the entry of a new mail. */
  apply(record: InboxRecord, segment: number): InboxEntry | undefined;
  /** The same as a record of marks, for a caller that has the entries. */
  mark(marked: readonly InboxEntry[], state: "delivered" | "read"): void;
  /** Read mails that arrived again since the last call and have no later mark yet. */
  takeRepeated(): readonly MailId[];
  /** Forgets the read mails of a file that are stored nowhere else. Returns the greatest of their ids. */
  forget(segment: number): MailId | undefined;
}

export interface InboxEntry {
  readonly id: MailId;
  /** Undefined for read mail with `keepsRead: false`. */
  mail: Mail | undefined;
  state: "queued" | "delivered" | "read";
  /** The number of the file in which it was first found. */
  readonly segment: number;
}

interface SegmentCount {
  held: number;
  unread: number;
  greatestRead: MailId | undefined;
  /** Ids that are no longer in `entries`, kept while the file exists. */
  readIds: IdFilter | undefined;
  /** More such ids, added at the next query, so that marking thousands does not have to wait. */
  justRead: MailId[];
}

const noneRead = () => ({ greatestRead: undefined, readIds: undefined, justRead: [] });
const maxJustRead = 16_384;

export const heldMail = ({ mail, state }: InboxEntry): HeldMail[] => (mail === undefined ? [] : [{ mail, state }]);

export type InboxFoldOptions =
  | { readonly keepsRead: true }
  /** Does not grow with read mail. `marks` decides on a very late mail that may have arrived before. */
  | { readonly keepsRead: false; readonly marks: ReadMarks };

export function createInboxFold(options: InboxFoldOptions): InboxFold {
  const { keepsRead } = options;
  const entries = new Map<MailId, InboxEntry>();
  /** Contains all unread entries. Read ones are removed when they are half of it. */
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

  /** Ignores mails that are gone. */
  const known = (ids: readonly MailId[]) => ids.flatMap((id) => entries.get(id) ?? []);

  /** Changes states only forwards. */
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

function settle(count: SegmentCount): void {
  if (count.justRead.length === 0) return;
  count.readIds ??= createIdFilter();
  for (const id of count.justRead) count.readIds.add(id);
  count.justRead = [];
}

/** Returns the entries that have not reached this state yet. */
export const entriesBehind = (entries: readonly InboxEntry[], state: "delivered" | "read"): InboxEntry[] =>
  entries.filter((entry) => entry.state !== "read" && entry.state !== state);
