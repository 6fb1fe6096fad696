import { closeSync, constants, fstatSync, openSync, lstatSync, type Stats, writeSync } from "node:fs";
import { encodeLine, hasErrorCode, storageError } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { InboxEntry, InboxFold } from "./inbox-fold.ts";
import type { InboxRecord } from "./inbox-record.ts";
import { closeFile, type DamagedLine, type InboxScan, scanInbox, unreadable } from "./scan-inbox.ts";

/** The file at an inbox's path, held open by its reader. Only the reader rotates it. */
export interface CurrentFile {
  /** The number of this file in the inbox. It becomes part of its name when it is rotated. */
  readonly number: number;
  /** The number of bytes read. */
  readonly size: number;
  /**
   * Ends a record that a killed sender left incomplete, so that it is either read or seen as damaged. A record that is
   * being written is not affected. Returns the error, if any.
   */
  endLastLine(): TroupeError | undefined;
  /** Folds everything new. If another file is at the path now, it reads the rest of this one first. */
  scan(): CurrentScan;
  close(): void;
}

export interface CurrentScan extends Omit<InboxScan, "nextOffset"> {
  /** Changes to the file by other programs, for people. */
  readonly trouble: readonly string[];
}

export interface CurrentFileOptions {
  readonly fold: InboxFold;
  readonly number: number;
  /** True if this reader rotated the file with this number. */
  readonly wasMovedByUs: (number: number) => boolean;
}

export function openCurrentFile(path: string, options: CurrentFileOptions): CurrentFile {
  const { fold } = options;
  let { number } = options;
  let fd = openForBoth(path);
  let offset = 0;
  let wasEmptied = giveFirstRecord(path, fd);

  const scan = (): CurrentScan => {
    const collected: Collected = { arrived: [], damaged: [], trouble: [], hasTail: false };
    if (wasEmptied) collected.trouble.push(`${path} is empty, so mail may be missing.`);
    wasEmptied = false;
    try {
      // A sender's record counts if the file was still at the path after its write. Once another file was seen there,
      // this file contains everything that will ever count in it.
      while (!isAtPath()) {
        const next = openForBoth(path);
        take(collected);
        if (collected.hasTail) takeTornEnd(collected);
        moveOn(next, collected.trouble);
      }
      take(collected);
    } catch (error) {
      throw unreadable(path, error);
    }
    return collected;
  };

  const take = (into: Collected) => {
    const { size } = fstatSync(fd);
    if (size === offset) return;
    if (size < offset) {
      into.trouble.push(`another program cut ${path} from ${offset} to ${size} bytes; the rest is read again.`);
      offset = 0;
    }
    const found = scanInbox(fd, { from: offset, segment: number, fold });
    offset = found.nextOffset;
    into.hasTail = found.hasTail;
    for (const entry of found.arrived) into.arrived.push(entry);
    for (const line of found.damaged) into.damaged.push(line);
  };

  /** No sender completes a torn record at the end of a rotated file. */
  const takeTornEnd = (into: Collected) => {
    const failure = endLastLine();
    if (failure !== undefined) into.trouble.push(`cannot repair the end of an inbox: ${failure.message}`);
    take(into);
    into.hasTail = false;
  };

  const isAtPath = () => {
    const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (there === undefined) return false;
    const own = fstatSync(fd, { bigint: true });
    return there.ino === own.ino && there.dev === own.dev;
  };

  const moveOn = (next: number, trouble: string[]) => {
    if (!options.wasMovedByUs(number)) trouble.push(`another program moved or removed ${path}.`);
    const left = fd;
    fd = next;
    offset = 0;
    number += 1;
    // Its number may already belong to another file.
    try {
      closeSync(left);
    } catch (error) {
      trouble.push(storageError("close", path, error).message);
    }
  };

  const endLastLine = (): TroupeError | undefined => {
    try {
      writeSync(fd, "\n");
      return undefined;
    } catch (error) {
      return storageError("write to", path, error);
    }
  };

  return {
    get number() {
      return number;
    },
    get size() {
      return offset;
    },
    endLastLine,
    scan,
    close: () => closeFile(path, fd),
  };
}

interface Collected extends CurrentScan {
  readonly arrived: InboxEntry[];
  readonly damaged: DamagedLine[];
  readonly trouble: string[];
  hasTail: boolean;
}

/** Opens the file, or creates it with a record, so that an inbox that something empties later is noticed. */
function openForBoth(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  try {
    try {
      const fd = openSync(path, flags | constants.O_CREAT | constants.O_EXCL, 0o600);
      giveFirstRecord(path, fd);
      return fd;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
      return openSync(path, flags | constants.O_CREAT, 0o600);
    }
  } catch (error) {
    throw TroupeError.is(error) ? error : storageError("open", path, error);
  }
}

/** Returns true if the file was emptied. It has a record afterwards, so that this is reported once. */
function giveFirstRecord(path: string, fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    if (stats.size > 0) return false;
    writeSync(fd, encodeLine(firstRecord));
    return isEmptied(stats);
  } catch (error) {
    closeSync(fd);
    throw storageError("write to", path, error);
  }
}

/**
 * True for an empty file that once had content. A new file is written first at its creation: earlier versions, and a
 * power cut right after it, leave it empty.
 */
export const isEmptied = ({ size, mtimeMs, birthtimeMs }: Stats): boolean => size === 0 && mtimeMs !== birthtimeMs;

/** It says nothing, and every version of the format reads it. */
const firstRecord: InboxRecord = { aside: [] };
