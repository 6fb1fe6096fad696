import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
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
  readonly tail?: { readonly offset: number; readonly length: number; readonly value?: unknown };
}

interface LineRecord {
  readonly offset: number;
  readonly value: unknown;
}

interface DamagedLine {
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
    if (decoded.ok) records.push({ offset, value: decoded.value });
    else damaged.push({ offset, length: line.length, reason: decoded.reason });
  }

  const rest = buffer.subarray(0, held);
  if (isBlank(rest)) return { records, nextOffset: base, damaged };
  const decoded = decodeLine(rest);
  const tail = { offset: base, length: held, ...(decoded.ok && { value: decoded.value }) };
  return { records, nextOffset: base, damaged, tail };
}

function indexOfNewline(buffer: Buffer, from: number, end: number): number {
  const at = buffer.indexOf(newline, from);
  return at < end ? at : -1;
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
