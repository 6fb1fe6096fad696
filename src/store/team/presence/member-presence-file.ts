import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { crc32 } from "node:zlib";
import * as z from "zod";
import { hasErrorCode, ifPresentSync, ProcessIdentity, storageError } from "../../../platform/index.ts";
import { MemberState, parseJson } from "../../../protocol/index.ts";

/** The presence that one member publishes. */
export const PresenceFile = z.object({
  name: z.string(),
  state: MemberState,
  detail: z.string().optional(),
  since: z.string(),
  owner: ProcessIdentity,
  /** Monotonic milliseconds since the machine started, at the last write: not affected by changes of the clock. */
  beat: z.number(),
});
export type PresenceFile = z.infer<typeof PresenceFile>;

/** A member's own file. It is rewritten in place, which happens often and is much cheaper than a new file. */
export interface OwnPresenceFile {
  /**
   * False once another file is at its path: another process acts for the member now, and writes here have no effect.
   */
  isThere(): boolean;
  write(presence: PresenceFile): void;
  close(): void;
}

/** Replaces any existing file. It need not survive a restart of the machine: its process is dead then anyway. */
export function createPresenceFile(path: string, presence: PresenceFile): OwnPresenceFile {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  let fd: number | undefined;
  let length = leastBytes;

  const write = (said: PresenceFile) => {
    const bytes = encode(said, length);
    length = bytes.length;
    if (writeSync(fd as number, bytes, 0, length, 0) < length) throw new Error("it was not written completely");
  };

  const isThere = () => {
    const there = statSync(path, { bigint: true, throwIfNoEntry: false });
    const own = fstatSync(fd as number, { bigint: true });
    return there !== undefined && there.ino === own.ino && there.dev === own.dev;
  };

  const trying = <T>(what: string, action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw storageError(what, path, error);
    }
  };

  const close = () => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };

  try {
    fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    write(presence);
    renameSync(temporary, path);
  } catch (error) {
    close();
    rmSync(temporary, { force: true });
    throw storageError("write", path, hasErrorCode(error, "ENOENT") ? folderGone(error) : error);
  }
  return { isThere: () => trying("inspect", isThere), write: (said) => trying("write", () => write(said)), close };
}

/** Undefined if there is no file, `damaged` if it cannot be read. */
export function readPresence(path: string): PresenceFile | "damaged" | undefined {
  for (let tries = 0; tries < maxTries; tries++) {
    const text = readText(path);
    if (text === undefined) return undefined;
    const presence = decode(text);
    if (presence !== undefined) return presence;
    // Read in the middle of a write: the next read sees the whole content.
  }
  return "damaged";
}

/**
 * Adds a checksum, since a reader can come in the middle of the write. Never shorter than before, so that no old bytes
 * remain.
 */
function encode(presence: PresenceFile, length: number): Buffer {
  const sum = crc32(JSON.stringify(presence));
  const text = JSON.stringify({ ...presence, sum });
  return Buffer.from(text + " ".repeat(Math.max(0, length - Buffer.byteLength(text))));
}

function decode(text: string): PresenceFile | undefined {
  const value = parseJson(text);
  const presence = PresenceFile.safeParse(value);
  if (!presence.success) return undefined;
  const { sum, ...said } = value as Record<string, unknown>;
  return sum === undefined || sum === crc32(JSON.stringify(said)) ? presence.data : undefined;
}

function readText(path: string): string | undefined {
  return ifPresentSync(() => readFileSync(path, "utf8"), { action: "read", path });
}

const folderGone = (cause: unknown) => new Error("its folder no longer exists", { cause });

const leastBytes = 512;
const maxTries = 5;
