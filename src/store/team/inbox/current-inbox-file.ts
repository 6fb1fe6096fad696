import { closeSync, constants, fstatSync, openSync, lstatSync, writeSync } from "node:fs";
import { storageError } from "../../../platform/index.ts";
import type { TroupeError } from "../../../protocol/index.ts";
import type { InboxEntry, InboxFold } from "./inbox-fold.ts";
import { closeFile, type DamagedLine, scanInbox, unreadable } from "./scan-inbox.ts";

/** The file at an inbox's path, held open by its reader, who alone moves it away. */
export interface CurrentFile {
  /** Which of the inbox's files it is: it gets this number for a name when it is moved away. */
  readonly number: number;
  /** How much of it has been read. */
  readonly size: number;
  /**
   * Ends a record that a killed sender has left without its end, so that it is either read or seen as damaged. One that is
   * being written just now is not touched by it. Gives what stands in the way.
   */
  endLastLine(): TroupeError | undefined;
  /** Folds whatever is new. If another file is at the path by now, the rest of this one first, and then that one. */
  scan(): CurrentScan;
  close(): void;
}

export interface CurrentScan {
  readonly arrived: readonly InboxEntry[];
  readonly damaged: readonly DamagedLine[];
  /** What somebody else did to the file, for people. */
  readonly trouble: readonly string[];
  /** Something follows the last whole line. */
  readonly hasTail: boolean;
}

export interface CurrentFileOptions {
  readonly fold: InboxFold;
  readonly number: number;
  /** Whether this reader itself has moved the file with this number away. */
  readonly wasMovedByUs: (number: number) => boolean;
}

export function openCurrentFile(path: string, options: CurrentFileOptions): CurrentFile {
  const { fold } = options;
  let { number } = options;
  let fd = openForBoth(path);
  let offset = 0;

  const scan = (): CurrentScan => {
    const collected: Collected = { arrived: [], damaged: [], trouble: [], hasTail: false };
    try {
      // A sender's record counts if the file was still here after its write. So what is found in a file after another
      // one was seen at its path is everything that will ever count in it.
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
      into.trouble.push(
        `${path} was cut from ${offset} to ${size} bytes by something else; what is left is read again.`,
      );
      offset = 0;
    }
    const found = scanInbox(fd, { from: offset, segment: number, fold });
    offset = found.nextOffset;
    into.hasTail = found.hasTail;
    for (const entry of found.arrived) into.arrived.push(entry);
    for (const line of found.damaged) into.damaged.push(line);
  };

  /** Nobody goes on with what a killed sender left at the end of a file that is not here any more. */
  const takeTornEnd = (into: Collected) => {
    const failure = endLastLine();
    if (failure !== undefined) into.trouble.push(`The end of an inbox could not be put right: ${failure.message}`);
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
    if (!options.wasMovedByUs(number)) trouble.push(`${path} was moved away or removed by something else.`);
    const left = fd;
    fd = next;
    offset = 0;
    number += 1;
    // Whatever becomes of it, its number may be another file's by now.
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

function openForBoth(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    throw storageError("open", path, error);
  }
}
