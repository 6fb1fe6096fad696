import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { TroupeError } from "../../protocol/index.ts";
import { ifPresentSync } from "./if-present.ts";
import { decodeLine } from "./line-codec.ts";
import { storageError } from "./storage-error.ts";

export interface LineReading {
  readonly records: readonly LineRecord[];
  /** Offset for the next read: after the last complete line. */
  readonly nextOffset: number;
  /**
   * Complete lines that are not records: damage, or the rest of a killed writer's record. They are skipped and
   * reported.
   */
  readonly damaged: readonly DamagedLine[];
  /**
   * The bytes after the last newline: a record that is being written, or a torn one. `value` is set if its JSON is
   * complete (an editor removed the last newline).
   */
  readonly tail?: LineTail;
}

export interface LineTail {
  readonly offset: number;
  readonly length: number;
  readonly value?: unknown;
  /** True if it contains a zero byte, as a power cut leaves it. No record that is being written does. */
  readonly hasZeros: boolean;
}

export interface LineRecord {
  readonly offset: number;
  readonly value: unknown;
}

export interface DamagedLine {
  readonly offset: number;
  readonly length: number;
  readonly reason: string;
}

/** Returns all complete lines from byte `from` on. A missing file has no records; an unreadable file is an error. */
export function readLines(path: string, from = 0): LineReading {
  const fd = openForReading(path);
  if (fd === undefined) return { records: [], nextOffset: from, damaged: [] };
  try {
    try {
      return readLinesOf(fd, from);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw storageError("read", path, error);
  }
}

/** Like `readLines`, but passes each line to the visitor. Returns the tail. */
export function scanLines(path: string, visitor: LineVisitor): LineReading["tail"] {
  const fd = openForReading(path);
  if (fd === undefined) return undefined;
  try {
    try {
      return scanLinesOf(fd, { from: 0, size: fstatSync(fd).size }, visitor).tail;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw TroupeError.is(error) ? error : storageError("read", path, error);
  }
}

/** Like `readLines`, for an open file. Throws the system's errors. */
export function readLinesOf(fd: number, from: number): LineReading {
  const { size } = fstatSync(fd);
  if (size < from) throw new Error(`it has ${size} bytes, but ${from} bytes were read before: it was truncated`);
  return collect(fd, { from, size });
}

function openForReading(path: string): number | undefined {
  return ifPresentSync(() => openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)), {
    action: "read",
    path,
  });
}

const chunkBytes = 1 << 22;
const newline = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

function collect(fd: number, range: { from: number; size: number }): LineReading {
  const records: LineRecord[] = [];
  const damaged: DamagedLine[] = [];
  const end = scanLinesOf(fd, range, {
    record: (record) => void records.push(record),
    damaged: (line) => void damaged.push(line),
  });
  return { ...end, records, damaged };
}

export interface LineVisitor {
  record(record: LineRecord): void;
  damaged(line: DamagedLine): void;
}

/** Passes each line to the visitor and keeps none, for files that do not fit into memory. */
export function scanLinesOf(
  fd: number,
  range: { readonly from: number; readonly size: number },
  visitor: LineVisitor,
): Pick<LineReading, "nextOffset" | "tail"> {
  let buffer = Buffer.allocUnsafe(Math.min(chunkBytes, range.size - range.from + 1));
  let base = range.from;
  let held = 0;
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const count = readSync(fd, buffer, held, buffer.length - held, base + held);
    if (count === 0) break;
    const end = held + count;
    let lineStart = 0;
    for (let at = indexOfNewline(buffer, held, end); at !== -1; at = indexOfNewline(buffer, at + 1, end)) {
      take(buffer.subarray(lineStart, at), base + lineStart);
      lineStart = at + 1;
    }
    buffer.copyWithin(0, lineStart, end);
    base += lineStart;
    held = end - lineStart;
  }

  function take(line: Buffer, offset: number): void {
    const record = offset === 0 && byteOrderMark.equals(line.subarray(0, 3)) ? line.subarray(3) : line;
    if (isBlank(record)) return;
    const decoded = decodeLine(record);
    if (decoded.ok) visitor.record({ offset, value: decoded.value });
    else visitor.damaged({ offset, length: line.length, reason: decoded.reason });
  }

  const rest = buffer.subarray(0, held);
  if (isBlank(rest)) return { nextOffset: base };
  const hasZeros = rest.includes(0);
  const decoded = decodeLine(rest);
  const tail = { offset: base, length: held, hasZeros, ...(decoded.ok && { value: decoded.value }) };
  return { nextOffset: base, tail };
}

function indexOfNewline(buffer: Buffer, from: number, end: number): number {
  const at = buffer.indexOf(newline, from);
  return at < end ? at : -1;
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
