import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { readLinesOf, storageError } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { InboxEntry, InboxFold } from "./inbox-fold.ts";
import { parseInboxRecord } from "./inbox-record.ts";

export interface InboxScan {
  readonly nextOffset: number;
  /** New mail in order. */
  readonly arrived: readonly InboxEntry[];
  /** Unreadable lines, except those already quarantined. */
  readonly damaged: readonly DamagedLine[];
  /** True if something follows the last whole line: a record being written, or one that was cut off. */
  readonly hasTail: boolean;
  /** Where zeros begin that a power cut left at the end. */
  readonly zerosAt?: number;
}

export interface DamagedLine {
  readonly bytes: Buffer;
  /** Identifies the line after a restart. */
  readonly digest: string;
  readonly offset: number;
  readonly reason: string;
}

/** Folds all whole records of one of an inbox's files from `from` on. Throws system errors as they are. */
export function scanInbox(
  fd: number,
  { from, segment, fold }: { readonly from: number; readonly segment: number; readonly fold: InboxFold },
): InboxScan {
  const { records, damaged, nextOffset, tail } = readLinesOf(fd, from);
  const arrived: InboxEntry[] = [];
  const unreadable = damaged.map(({ offset, length, reason }) =>
    damagedLine(bytesOf(fd, offset, length), offset, reason),
  );
  for (const { offset, value } of records) {
    const parsed = parseInboxRecord(value);
    if (!parsed.ok) {
      unreadable.push(damagedLine(Buffer.from(JSON.stringify(value)), offset, parsed.reason));
      continue;
    }
    const entry = fold.apply(parsed.record, segment);
    if (entry !== undefined) arrived.push(entry);
  }
  const isNew = ({ digest }: DamagedLine) => !fold.aside.has(digest);
  const zeros = tail?.hasZeros === true ? { zerosAt: tail.offset } : {};
  return { nextOffset, arrived, damaged: unreadable.filter(isNew), hasTail: tail !== undefined, ...zeros };
}

/** Turns an error of a scan into a storage error. */
export const unreadable = (path: string, error: unknown): unknown =>
  TroupeError.is(error) ? error : storageError("read", path, error);

export function closeFile(path: string, fd: number): void {
  try {
    closeSync(fd);
  } catch (error) {
    throw storageError("close", path, error);
  }
}

const damagedLine = (bytes: Buffer, offset: number, reason: string): DamagedLine => ({
  bytes,
  digest: createHash("sha256").update(bytes).digest("hex").slice(0, 32),
  offset,
  reason,
});

function bytesOf(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let held = 0;
  while (held < length) {
    const count = readSync(fd, bytes, held, length - held, offset + held);
    if (count === 0) break;
    held += count;
  }
  return bytes.subarray(0, held);
}
