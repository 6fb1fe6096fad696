import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { decodeLine, hasErrorCode, isSealedLine, storageError } from "../platform/index.ts";
import { type AgentId, protocolVersion, type SessionId, StoredEnvelope, TroupeError } from "../protocol/index.ts";
import { knownTypes, readEventLog } from "./read-event-log.ts";

/** Continues to read one log without claiming it, for observers while another process writes. */
export interface LogTail {
  /**
   * Returns the next unseen envelopes from about this many bytes. An empty list means the end for now. Throws
   * `session_damaged` or `session_newer`, as reading the whole log would.
   */
  next(bytes: number): StoredEnvelope[];
}

export interface TailOptions {
  readonly session: SessionId;
  /** The known position in each agent's log. Known records are skipped without parsing, which is cheap. */
  readonly seen: ReadonlyMap<AgentId, number>;
}

export function tailLog(path: string, { session, seen }: TailOptions): LogTail {
  let offset = 0;
  let file = 0;
  /** The number of the last record that was read or skipped. */
  let last = 0;
  /** The file's state when it was read to its end. */
  let mark = "";

  const next = (bytes: number): StoredEnvelope[] => {
    for (;;) {
      const chunk = readChunk(bytes);
      if (chunk === undefined) return [];
      const taken = take(chunk);
      if (taken.length > 0 || chunk.isEnd) return taken;
    }
  };

  /**
   * Returns whole lines, or everything left at the end of the file. Undefined if nothing was added since it was last
   * read to its end.
   */
  const readChunk = (bytes: number): Chunk | undefined => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || markOf(stats) === mark) return undefined;
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const now = fstatSync(fd);
      // A different or shorter file means the log was repaired. Known records are recognized by their numbers.
      if (now.ino !== file || now.size < offset) [offset, last] = [0, 0];
      file = now.ino;
      for (let length = Math.min(bytes, now.size - offset); ; length = Math.min(length * 2, now.size - offset)) {
        const buffer = Buffer.allocUnsafe(length);
        const held = buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
        const isEnd = offset + held.length >= now.size;
        const end = held.lastIndexOf(newline) + 1;
        if (end === 0 && !isEnd) continue;
        mark = isEnd ? markOf(now) : "";
        return { lines: held.subarray(0, end), rest: held.subarray(end), isEnd };
      }
    } finally {
      closeSync(fd);
    }
  };

  const take = ({ lines, rest, isEnd }: Chunk): StoredEnvelope[] => {
    const envelopes: StoredEnvelope[] = [];
    for (
      let start = 0, end = lines.indexOf(newline);
      end !== -1;
      start = end + 1, end = lines.indexOf(newline, start)
    ) {
      if (end > start) keep(envelopes, lines.subarray(start, end));
    }
    offset += lines.length;
    // A record without its newline, as an editor leaves it. A record still being written does not decode and does not
    // count yet.
    if (isEnd && rest.length > 0 && decodeLine(Buffer.from(rest)).ok) keep(envelopes, rest);
    return envelopes;
  };

  const keep = (envelopes: StoredEnvelope[], line: Buffer) => {
    const head = headOf(line);
    if (head && head.seq === last + 1 && head.seq <= (seen.get(head.agent) ?? 0)) {
      last = head.seq;
      return;
    }
    const isSealed = isSealedLine(line);
    const decoded = decodeLine(line);
    const envelope = decoded.ok ? asEnvelope(decoded.value, isSealed) : undefined;
    if (envelope === undefined || envelope.session !== session || envelope.seq > last + 1) {
      if (isBlank(line)) return;
      throw whatIsWrong();
    }
    if (envelope.seq <= last) return;
    last = envelope.seq;
    if (envelope.seq > (seen.get(envelope.agent) ?? 0)) envelopes.push(envelope);
  };

  /** Reads the whole log, which reports the damage and its position. */
  const whatIsWrong = (): TroupeError => {
    readEventLog(path, { session });
    return new TroupeError("session_damaged", `${path} changed while it was read. Read it again.`);
  };

  return {
    next: (bytes) => {
      try {
        return next(bytes);
      } catch (error) {
        if (TroupeError.is(error)) throw error;
        if (hasErrorCode(error, "ENOENT")) return [];
        throw storageError("read", path, error);
      }
    },
  };
}

const markOf = ({ ino, size, mtimeMs }: Stats): string => `${ino} ${size} ${mtimeMs}`;

interface Chunk {
  readonly lines: Buffer;
  readonly rest: Buffer;
  readonly isEnd: boolean;
}

const newline = 0x0a;

/** Returns the agent and number from the start of a record, which always has the same layout. */
function headOf(line: Buffer): { agent: AgentId; seq: number } | undefined {
  const found = headPattern.exec(line.toString("latin1", 0, headBytes));
  return found ? { agent: found[1] as AgentId, seq: Number(found[2]) } : undefined;
}

const headBytes = 220;
const headPattern = /^\{"v":1,"id":"evt_[0-9a-z]+","session":"ses_[0-9a-z]+","agent":"(agt_[0-9a-z]+)","seq":(\d+),/;

/**
 * A record with a checksum was written by a log, which validates every event. Only its envelope is checked, which takes
 * a tenth of the time.
 */
function asEnvelope(value: unknown, isSealed: boolean): StoredEnvelope | undefined {
  if (isSealed && isFramed(value)) return value;
  return StoredEnvelope.safeParse(value).data;
}

function isFramed(value: unknown): value is StoredEnvelope {
  if (typeof value !== "object" || value === null) return false;
  const { v, id, session, agent, seq, at, event } = value as Partial<Record<keyof StoredEnvelope, unknown>>;
  return (
    v === protocolVersion &&
    typeof id === "string" &&
    typeof session === "string" &&
    typeof agent === "string" &&
    typeof at === "string" &&
    Number.isSafeInteger(seq) &&
    typeof event === "object" &&
    event !== null &&
    "type" in event &&
    knownTypes.has(String(event.type))
  );
}

const isBlank = (line: Buffer): boolean => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
