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
import { hasErrorCode, ProcessIdentity, storageError } from "../../../platform/index.ts";
import { MemberState } from "../../../protocol/index.ts";

/** What one member says of itself. */
export const PresenceFile = z.object({
  name: z.string(),
  state: MemberState,
  detail: z.string().optional(),
  since: z.string(),
  owner: ProcessIdentity,
  /** Milliseconds since the machine was started, when it was last said: no clock that anybody sets. */
  beat: z.number(),
});
export type PresenceFile = z.infer<typeof PresenceFile>;

/** The file of one who speaks: said anew in place, which is many times cheaper than a new file, and happens all the time. */
export interface OwnPresenceFile {
  /** False once another file is at its path: somebody else speaks now, and what is written here is read by nobody. */
  isThere(): boolean;
  write(presence: PresenceFile): void;
  close(): void;
}

/** Takes the place of whatever was there. It need not outlive the machine: after a restart its process is dead anyway. */
export function createPresenceFile(path: string, presence: PresenceFile): OwnPresenceFile {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  let fd: number | undefined;
  let length = leastBytes;

  const write = (said: PresenceFile) => {
    const bytes = encode(said, length);
    length = bytes.length;
    if (writeSync(fd as number, bytes, 0, length, 0) < length) throw new Error("it was not written whole");
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
  return { isThere: () => trying("look at", isThere), write: (said) => trying("write", () => write(said)), close };
}

/** Undefined if there is none, `damaged` if nobody can tell what it says. */
export function readPresence(path: string): PresenceFile | "damaged" | undefined {
  for (let tries = 0; tries < maxTries; tries++) {
    const text = readText(path);
    if (text === undefined) return undefined;
    const presence = decode(text);
    if (presence !== undefined) return presence;
    // Read while it was being written: the next look sees all of it.
  }
  return "damaged";
}

/** With a sum, since a reader can come in the middle of the write; never shorter than before, so that nothing old is left behind it. */
function encode(presence: PresenceFile, length: number): Buffer {
  const sum = crc32(JSON.stringify(presence));
  const text = JSON.stringify({ ...presence, sum });
  return Buffer.from(text + " ".repeat(Math.max(0, length - Buffer.byteLength(text))));
}

function decode(text: string): PresenceFile | undefined {
  const value = parsed(text);
  const presence = PresenceFile.safeParse(value);
  if (!presence.success) return undefined;
  const { sum, ...said } = value as Record<string, unknown>;
  return sum === undefined || sum === crc32(JSON.stringify(said)) ? presence.data : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw storageError("read", path, error);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Room for what is usually said. */
const folderGone = (cause: unknown) => new Error("the folder it belongs to is not there any more", { cause });

const leastBytes = 512;
const maxTries = 5;
