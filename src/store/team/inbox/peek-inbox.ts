import { constants, fstatSync, openSync, type Stats, lstatSync } from "node:fs";
import { basename } from "node:path";
import { type FolderWatcher, ifPresentSync, storageError } from "../../../platform/index.ts";
import type { Mail } from "../../../protocol/index.ts";
import { createInboxFold, heldMail, type InboxEntry, type InboxFold, type InboxFoldOptions } from "./inbox-fold.ts";
import { createReadMarks } from "./read-marks.ts";
import type { HeldMail, InboxReading } from "./inbox.ts";
import { isEmptied } from "./current-inbox-file.ts";
import { closeFile, type InboxScan, scanInbox, unreadable } from "./scan-inbox.ts";
import { listSegments } from "./inbox-segments.ts";

/**
 * Reads everything in an inbox without being its reader. Changes nothing, and tolerates a reader that rotates files.
 */
export function peekInbox(path: string): InboxReading {
  const { fold, problems, endProblems } = readWhole(path, { keepsRead: true });
  const mail = [...fold.entries.values()].flatMap(heldMail);
  const { compactedThrough } = fold;
  return { mail, problems: [...problems, ...endProblems], ...(compactedThrough !== undefined && { compactedThrough }) };
}

/** Returns a function that reads the unread mail and can be called often. It keeps no read mail. */
export function createUnreadPeek(path: string): () => Pick<InboxReading, "mail" | "problems"> {
  const marks = createReadMarks(path);
  let whole: WholeInbox | undefined;
  return () => {
    whole = whole === undefined ? readWhole(path, { keepsRead: false, marks }) : readMore(path, whole).whole;
    marks.forget();
    return { mail: whole.fold.unread().flatMap(heldMail), problems: [...whole.problems, ...whole.endProblems] };
  };
}

/**
 * Yields all current mail, then all new mail. Reads only new data, and everything again after the reader rotated the
 * file.
 */
export async function* watchInbox(
  path: string,
  { watcher, signal }: { readonly watcher: FolderWatcher; readonly signal: AbortSignal },
): AsyncIterable<readonly HeldMail[]> {
  let wake: (() => void) | undefined;
  let isHinted = false;
  const hint = () => {
    isHinted = true;
    wake?.();
  };
  const stop = watcher.follow(path, hint);
  signal.addEventListener("abort", hint);
  const release = watcher.hold();
  try {
    let whole = readWhole(path, { keepsRead: true });
    yield [...whole.fold.entries.values()].flatMap(heldMail);
    for (;;) {
      if (!isHinted) await new Promise<void>((resolve) => (wake = resolve));
      if (signal.aborted) return;
      isHinted = false;
      const more = readMore(path, whole);
      whole = more.whole;
      if (more.arrived.length > 0) yield more.arrived.flatMap(heldMail);
    }
  } finally {
    release();
    stop();
    signal.removeEventListener("abort", hint);
  }
}

interface WholeInbox {
  readonly keeps: InboxFoldOptions;
  readonly fold: InboxFold;
  readonly problems: readonly string[];
  /** The problems at the end of the current file, as the last look found it. */
  readonly endProblems: readonly string[];
  /** The file at the path; undefined if there is none. */
  readonly current: { readonly ino: number; readonly dev: number; readonly nextOffset: number } | undefined;
}

/** Reads again if the reader rotated the file in between: its content might have been missed. */
function readWhole(path: string, keeps: InboxFoldOptions): WholeInbox {
  for (;;) {
    const fd = openOptional(path);
    try {
      const fold = createInboxFold(keeps);
      const problems: string[] = [];
      const own = fd === undefined ? undefined : fstatSync(fd);
      for (const segment of listSegments(path)) readSegment(segment, { own, fold, problems });
      const scan = fd === undefined ? undefined : scanInbox(fd, { from: 0, segment: Number.MAX_SAFE_INTEGER, fold });
      if (scan !== undefined) problems.push(...problemsOf(path, scan));
      const endProblems = own && isEmptied(own) ? [emptied(path)] : scan === undefined ? [] : endProblemsOf(path, scan);
      if (!isSameFile(own, statOf(path))) continue;
      const current = own && scan && { ino: own.ino, dev: own.dev, nextOffset: scan.nextOffset };
      return { keeps, fold, problems, endProblems, current };
    } catch (error) {
      throw unreadable(path, error);
    } finally {
      if (fd !== undefined) closeFile(path, fd);
    }
  }
}

function readSegment(
  segment: { readonly path: string; readonly number: number },
  { own, fold, problems }: { own: Stats | undefined; fold: InboxFold; problems: string[] },
): void {
  const fd = openOptional(segment.path);
  // All of it was read, and its reader has just removed it.
  if (fd === undefined) return;
  try {
    // This file was at the inbox's own path a moment ago and is read there.
    if (own !== undefined && isSameFile(own, fstatSync(fd))) return;
    const scan = scanInbox(fd, { from: 0, segment: segment.number, fold });
    problems.push(...problemsOf(segment.path, scan), ...endProblemsOf(segment.path, scan));
  } finally {
    closeFile(segment.path, fd);
  }
}

function readMore(path: string, before: WholeInbox): { whole: WholeInbox; arrived: readonly InboxEntry[] } {
  const there = statOf(path);
  const { current, fold } = before;
  if (current === undefined || there === undefined || !isSameFile(current, there)) return readAgain(path, before);
  if (there.size === current.nextOffset) return { whole: before, arrived: [] };
  const fd = openOptional(path);
  try {
    if (fd === undefined || !isSameFile(current, fstatSync(fd))) return readAgain(path, before);
    const scan = scanInbox(fd, { from: current.nextOffset, segment: Number.MAX_SAFE_INTEGER, fold });
    const problems = [...before.problems, ...problemsOf(path, scan)];
    return {
      whole: {
        ...before,
        problems,
        endProblems: endProblemsOf(path, scan),
        current: { ...current, nextOffset: scan.nextOffset },
      },
      arrived: scan.arrived,
    };
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    if (fd !== undefined) closeFile(path, fd);
  }
}

function readAgain(path: string, before: WholeInbox): { whole: WholeInbox; arrived: readonly InboxEntry[] } {
  const whole = readWhole(path, before.keeps);
  const isNew = ([id]: readonly [Mail["id"], InboxEntry]) => !before.fold.entries.has(id);
  return { whole, arrived: [...whole.fold.entries].filter(isNew).map(([, entry]) => entry) };
}

function openOptional(path: string): number | undefined {
  return ifPresentSync(() => openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)), {
    action: "read",
    path,
  });
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw storageError("read", path, error);
  }
}

const isSameFile = (a: Identity | undefined, b: Identity | undefined) => a?.ino === b?.ino && a?.dev === b?.dev;

interface Identity {
  readonly ino: number;
  readonly dev: number;
}

const problemsOf = (path: string, { damaged }: InboxScan) =>
  damaged.map(({ offset, reason }) => `${basename(path)}, byte ${offset}: ${reason}`);

const emptied = (path: string) => `${basename(path)}: it is empty, so mail may be missing`;

function endProblemsOf(path: string, { nextOffset, hasTail, zerosAt }: InboxScan): string[] {
  if (zerosAt !== undefined) return [`${basename(path)}, byte ${zerosAt}: it ends in zeros, so mail may be missing`];
  if (hasTail) return [`${basename(path)}, byte ${nextOffset}: the last line is cut off, or is being written`];
  return [];
}
