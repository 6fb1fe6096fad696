import { renameSync } from "node:fs";
import { setImmediate as nextRound } from "node:timers/promises";
import { type Claim, claim, type FolderWatcher, type RotatableLogFile, storageError } from "../../../platform/index.ts";
import type { MailId } from "../../../protocol/index.ts";
import { compactSegments } from "./compact-inbox.ts";
import { entriesBehind, heldMail, type InboxEntry } from "./inbox-fold.ts";
import { createInboxFollower, type InboxFollower } from "./inbox-follower.ts";
import type { HeldMail, InboxReader } from "./inbox.ts";
import { openInboxScanner } from "./inbox-scanner.ts";
import { segmentPath } from "./inbox-segments.ts";
import type { InboxOptions } from "./file-inbox.ts";

export interface InboxReaderOptions
  extends Pick<InboxOptions, "member" | "path" | "watcher" | "clock" | "createId" | "rotateBytes"> {
  readonly file: RotatableLogFile;
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
  const { path, file } = options;
  const scanner = openInboxScanner(options);
  const { fold, current, followers, notices, moved, scan, inTurn } = scanner;
  let isClosed = false;

  const assertOpen = () => {
    if (isClosed) throw new Error(`the reader of the inbox of ${options.member} is closed`);
  };

  const unread = async (): Promise<readonly HeldMail[]> => {
    assertOpen();
    scan();
    await scanner.quarantined();
    return fold.unread().flatMap(heldMail);
  };

  const mark = async (ids: readonly MailId[], state: "delivered" | "read"): Promise<void> => {
    assertOpen();
    // An unknown mail may just have arrived, so scan only then.
    if (ids.some((id) => !fold.entries.has(id))) scan();
    const known = ids.flatMap((id) => fold.entries.get(id) ?? []);
    const changed = entriesBehind(known, state);
    if (changed.length === 0) return;
    await file.append({ mark: state, ids: changed.map(({ id }) => id) }, "soon");
    fold.mark(changed, state);
    if (state === "read" && isTooLarge()) moveAway();
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
      if (!scanner.isDamageUnsaved) await compactSegments({ path, fold, file, newest: which });
    });
  };

  const follow = (signal: AbortSignal) =>
    followInbox({ ...options, scan, unread: fold.unread, followers, isClosed: () => isClosed }, signal);

  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    for (const follower of followers) follower.wake();
    await scanner.settled();
    try {
      current.close();
    } finally {
      await held.release();
    }
  };

  return { unread, follow, mark, takeNotices: () => notices.splice(0), close };
}

interface FollowOptions {
  readonly path: string;
  readonly watcher: FolderWatcher;
  readonly scan: () => unknown;
  readonly unread: () => readonly InboxEntry[];
  readonly followers: Set<InboxFollower>;
  readonly isClosed: () => boolean;
}

async function* followInbox(options: FollowOptions, signal: AbortSignal): AsyncIterable<readonly HeldMail[]> {
  const { path, watcher, scan, followers, isClosed } = options;
  if (isClosed()) return;
  const follower = createInboxFollower();
  const onHint = () => {
    try {
      scan();
    } catch (error) {
      follower.fail(error);
    }
  };
  const stop = watcher.follow(path, onHint);
  const release = watcher.hold();
  signal.addEventListener("abort", follower.wake);
  try {
    scan();
    follower.deliver(options.unread());
    followers.add(follower);
    for (;;) {
      if (signal.aborted || isClosed()) return;
      const batch = follower.take();
      if (batch.length > 0) yield batch;
      else await follower.woken();
    }
  } finally {
    followers.delete(follower);
    signal.removeEventListener("abort", follower.wake);
    release();
    stop();
  }
}
