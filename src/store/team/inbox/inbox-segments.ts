import { closeSync, constants, openSync, readdirSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ifPresentSync, storageError } from "../../../platform/index.ts";
import type { InboxFold } from "./inbox-fold.ts";
import { type DamagedLine, scanInbox, unreadable } from "./scan-inbox.ts";

/** A file that the reader rotated because of its size. It stays until all of its mail is read. */
export interface InboxSegment {
  readonly number: number;
  readonly path: string;
}

export const segmentPath = (path: string, number: number): string => `${path}.${number}`;

/** Oldest first. `path` is the inbox's own file, which comes after all of them. */
export function listSegments(path: string): InboxSegment[] {
  const prefix = `${basename(path)}.`;
  return namesIn(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(name.slice(prefix.length)))
    .map((name) => ({ number: Number(name.slice(prefix.length)), path: join(dirname(path), name) }))
    .sort((a, b) => a.number - b.number);
}

/** Folds all rotated files for the inbox's reader, the only one that removes any. `trouble` is for people. */
export function readSegments(
  segments: readonly InboxSegment[],
  fold: InboxFold,
): { damaged: DamagedLine[]; trouble: string[] } {
  const damaged: DamagedLine[] = [];
  const trouble: string[] = [];
  for (const { number, path } of segments) {
    try {
      const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
      try {
        const scan = scanInbox(fd, { from: 0, segment: number, fold });
        damaged.push(...scan.damaged);
        if (!scan.hasTail) continue;
        const failure = endLastLineOf(path);
        if (failure !== undefined) trouble.push(failure);
        damaged.push(...scanInbox(fd, { from: scan.nextOffset, segment: number, fold }).damaged);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      throw unreadable(path, error);
    }
  }
  return { damaged, trouble };
}

/**
 * Ends a record that a power cut left incomplete, so that it is either read or seen as damaged. Returns the error
 * message, if any.
 */
function endLastLineOf(path: string): string | undefined {
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
    try {
      writeSync(fd, "\n");
    } finally {
      closeSync(fd);
    }
    return undefined;
  } catch (error) {
    return storageError("repair the end of", path, error).message;
  }
}

function namesIn(folder: string): string[] {
  return ifPresentSync(() => readdirSync(folder), { action: "list", path: folder }) ?? [];
}
