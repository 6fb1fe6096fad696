import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { decodeLine, hasErrorCode, isSealedLine, storageError } from "../platform/index.ts";
import { type AgentId, protocolVersion, type SessionId, StoredEnvelope, TroupeError } from "../protocol/index.ts";
import { knownTypes, readEventLog } from "./read-event-log.ts";

/** Reads one log on from where it was read to, without claiming it: for those who look on while somebody writes. */
export interface LogTail {
  /**
   * The next envelopes that are not seen yet, from about so many bytes; none: that is all for now. Throws `session_damaged` or
   * `session_newer` as reading the whole log would.
   */
  next(bytes: number): StoredEnvelope[];
}

export interface TailOptions {
  readonly session: SessionId;
  /** How far each agent's log is known already. What is known is passed over unread, which is cheap. */
  readonly seen: ReadonlyMap<AgentId, number>;
}

export function tailLog(path: string, { session, seen }: TailOptions): LogTail {
  let offset = 0;
  let file = 0;
  /** Of the record that was read last, or passed over. */
  let last = 0;
  /** Of the file when it was read to its end. */
  let mark = "";

  const next = (bytes: number): StoredEnvelope[] => {
    for (;;) {
      const chunk = readChunk(bytes);
      if (chunk === undefined) return [];
      const taken = take(chunk);
      if (taken.length > 0 || chunk.isEnd) return taken;
    }
  };

  /** Whole lines, or at the end of the file whatever is there. Undefined: nothing was added since it was read to its end. */
  const readChunk = (bytes: number): Chunk | undefined => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || markOf(stats) === mark) return undefined;
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const now = fstatSync(fd);
      // Another file, or a shorter one: it was repaired. What is known of it is known by its numbers.
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
    // A record without its newline, as an editor leaves it; or one that is being written, which is none yet.
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

  /** Reading all of it says what is wrong, and where. */
  const whatIsWrong = (): TroupeError => {
    readEventLog(path, { session });
    return new TroupeError("session_damaged", `${path} was changed while it was read: look at it again.`);
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

/** Whose it is and its number, from the beginning of a record as it is always written. */
function headOf(line: Buffer): { agent: AgentId; seq: number } | undefined {
  const found = headPattern.exec(line.toString("latin1", 0, headBytes));
  return found ? { agent: found[1] as AgentId, seq: Number(found[2]) } : undefined;
}

const headBytes = 220;
const headPattern = /^\{"v":1,"id":"evt_[0-9a-z]+","session":"ses_[0-9a-z]+","agent":"(agt_[0-9a-z]+)","seq":(\d+),/;

/**
 * A record with a check sum is what a log has written, and a log writes nothing that its schema does not pass: of such a one
 * only the frame is looked at, which takes a tenth of the time.
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
