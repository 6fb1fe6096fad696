import { renameSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import {
  type Claim,
  type Clock,
  claim,
  type CreateId,
  type FolderWatcher,
  type RotatableLogFile,
  storageError,
} from "../../../platform/index.ts";
import { type MailId, messageOf } from "../../../protocol/index.ts";
import { compactSegments } from "./compact-inbox.ts";
import { type CurrentScan, openCurrentFile } from "./current-inbox-file.ts";
import { createInboxFold, heldMail, type InboxEntry } from "./inbox-fold.ts";
import { createInboxFollower, type InboxFollower } from "./inbox-follower.ts";
import { createReadMarks } from "./read-marks.ts";
import type { HeldMail, InboxReader } from "./inbox.ts";
import { listSegments, readSegments, segmentPath } from "./inbox-segments.ts";
import type { DamagedLine } from "./scan-inbox.ts";
import { quarantinePrefix } from "./quarantined-mail.ts";
import { timeForFileName, writeToFreeName } from "../../write-to-free-name.ts";

export interface InboxReaderOptions {
  readonly member: string;
  readonly path: string;
  readonly file: RotatableLogFile;
  readonly watcher: FolderWatcher;
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
  /** A file above this size is rotated once most of it is read. */
  readonly rotateBytes: number;
}

/** Opens the only reader of an inbox. It marks read mail and keeps the files small. The inbox's folder must exist. */
export async function openInboxReader(options: InboxReaderOptions): Promise<InboxReader> {
  const { path, member, clock, createId } = options;
  const held = await claim(path.replace(/jsonl$/, "reader.jsonl"), { what: `The inbox of ${member}`, clock, createId });
  try {
    return createReader(options, held);
  } catch (error) {
    await held.release();
    throw error;
  }
}

function createReader(options: InboxReaderOptions, held: Claim): InboxReader {
  const { path, file, watcher, clock } = options;
  const marks = createReadMarks(path);
  const fold = createInboxFold({ keepsRead: false, marks });
  const followers = new Set<InboxFollower>();
  const moved = new Set<number>();
  const notices: string[] = [];
  let chores: Promise<void> = Promise.resolve();
  let settingAside: Promise<void> | undefined;
  let isClosed = false;
  /** Some damaged lines are only in these files, so the files must stay. */
  let isDamageUnsaved = false;

  const segments = listSegments(path);
  const number = (segments.at(-1)?.number ?? 0) + 1;
  const old = readSegments(segments, fold);
  const current = openCurrentFile(path, { fold, number, wasMovedByUs: (which) => moved.has(which) });

  const start = () => {
    notices.push(...old.trouble);
    quarantine(old.damaged);
    const { hasTail } = scan();
    if (!hasTail) return;
    const failure = current.endLastLine();
    if (failure === undefined) scan();
    else notices.push(`cannot repair the end of an inbox: ${failure.message}`);
  };

  const scan = (): CurrentScan => {
    const found = current.scan();
    marks.forget();
    notices.push(...found.trouble);
    quarantine(found.damaged);
    markAgain(fold.takeRepeated());
    for (const follower of followers) follower.deliver(found.arrived);
    return found;
  };

  /**
   * An interrupted sender sent the mail twice. When the file with the first copy is removed, its mark is lost, so it is
   * written again.
   */
  const markAgain = (ids: readonly MailId[]) => {
    if (ids.length === 0) return;
    // Written before this returns, and so before any compaction.
    const written = file.append({ mark: "read", ids }, "soon").catch(reportTo);
    inTurn(() => written);
  };

  const unread = async (): Promise<readonly HeldMail[]> => {
    if (isClosed) throw closedError(options.member);
    scan();
    await settingAside;
    return fold.unread().flatMap(heldMail);
  };

  const mark = async (ids: readonly MailId[], state: "delivered" | "read"): Promise<void> => {
    if (isClosed) throw closedError(options.member);
    // An unknown mail may just have arrived, so scan only then.
    const changed = behind(ids, state) ?? (scan(), behind(ids, state, { skipsUnknown: true }) ?? []);
    if (changed.length === 0) return;
    await file.append({ mark: state, ids: changed.map(({ id }) => id) }, "soon");
    fold.mark(changed, state);
    if (state === "read" && isTooLarge()) moveAway();
  };

  /** Returns the entries that have not reached this state yet, or undefined if one is unknown. */
  const behind = (ids: readonly MailId[], state: "delivered" | "read", { skipsUnknown = false } = {}) => {
    const changed: InboxEntry[] = [];
    for (const id of ids) {
      const entry = fold.entries.get(id);
      if (entry === undefined && !skipsUnknown) return undefined;
      if (entry !== undefined && entry.state !== "read" && entry.state !== state) changed.push(entry);
    }
    return changed;
  };

  const isTooLarge = () => {
    const { held: all, unread: open } = fold.countsOf(current.number);
    // A rotated file stays `current` until the next scan. Its name must not be used twice.
    return current.size >= options.rotateBytes && open * 2 <= all && !moved.has(current.number);
  };

  /** Rotates a large file that is mostly read. Neither senders nor the caller of `mark` wait for the rest. */
  const moveAway = () => {
    const { number: which } = current;
    try {
      renameSync(path, segmentPath(path, which));
    } catch (error) {
      notices.push(storageError("rotate", path, error).message);
      return;
    }
    moved.add(which);
    inTurn(async () => {
      await nextRound();
      scan();
      if (!isDamageUnsaved) await compactSegments({ path, fold, file, newest: which });
    });
  };

  const quarantine = (damaged: readonly DamagedLine[]) => {
    if (damaged.length === 0) return;
    inTurn(async () => {
      const wasUnsaved = isDamageUnsaved;
      isDamageUnsaved = true;
      const data = Buffer.concat(damaged.flatMap(({ bytes }) => [bytes, Buffer.from("\n")]));
      const copy = await writeToFreeName(`${quarantinePrefix(path)}${timeForFileName(clock)}`, { data });
      isDamageUnsaved = wasUnsaved;
      const first = damaged[0]?.reason ?? "";
      const what = damaged.length === 1 ? "a line" : `${damaged.length} lines`;
      notices.push(`${path}: cannot read ${what} (${first}); the content is in ${basename(copy)}.`);
      const record = { aside: damaged.map(({ digest }) => digest) };
      await file.append(record, "soon");
      fold.apply(record, current.number);
    });
    settingAside = chores;
  };

  /** Runs maintenance work without blocking the reader. A failure is reported and loses nothing. */
  const inTurn = (work: () => Promise<void>) => {
    chores = chores.then(work).catch(reportTo);
  };

  const reportTo = (error: unknown) => {
    notices.push(`cannot compact the inbox of ${options.member}: ${messageOf(error)}`);
  };

  async function* follow(signal: AbortSignal): AsyncIterable<readonly HeldMail[]> {
    if (isClosed) return;
    const follower = createInboxFollower();
    const onHint = () => {
      try {
        scan();
      } catch (error) {
        follower.fail(error);
      }
    };
    const onAbort = () => follower.wake();
    const stop = watcher.follow(path, onHint);
    const release = watcher.hold();
    signal.addEventListener("abort", onAbort);
    try {
      scan();
      follower.deliver(fold.unread());
      followers.add(follower);
      for (;;) {
        if (signal.aborted || isClosed) return;
        const batch = follower.take();
        if (batch.length > 0) yield batch;
        else await follower.woken();
      }
    } finally {
      followers.delete(follower);
      signal.removeEventListener("abort", onAbort);
      release();
      stop();
    }
  }

  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    for (const follower of followers) follower.wake();
    await chores;
    try {
      current.close();
    } finally {
      await held.release();
    }
  };

  start();
  return { unread, follow, mark, takeNotices: () => notices.splice(0), close };
}

const closedError = (member: string) => new Error(`the reader of the inbox of ${member} is closed`);
