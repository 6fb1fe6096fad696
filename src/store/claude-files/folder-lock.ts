import { mkdir, rename, rmdir, stat, utimes } from "node:fs/promises";
import { type Clock, hasErrorCode, storageError } from "../../platform/index.ts";

/** A held lock. */
export interface HeldLock {
  /**
   * Rejects with `storage` if another process has the lock now, because this process was paused for longer than the
   * lock counts.
   */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

export interface LockOptions {
  readonly clock: Clock;
  /** How long to wait for the current holder. */
  readonly waitMs: number;
  /**
   * A lock that is not renewed for this long belongs to a dead process. A holder renews its lock in less than half of
   * this time.
   */
  readonly staleMs: number;
}

/**
 * Acquires the lock of a file as its other writers do: only one process can create the folder `FILE.lock`. Waits for
 * the holder. A stale lock is moved aside; a renewed lock never is. Rejects with `storage` after the deadline.
 */
export async function acquireLock(path: string, options: LockOptions): Promise<HeldLock> {
  const { clock, waitMs } = options;
  const deadline = clock.monotonic() + waitMs;
  let pauseMs = 2;
  let seen: SeenLock | undefined;
  for (;;) {
    if (await make(path)) return hold(path, options);
    seen = await readLock(path, seen, clock);
    if (seen !== undefined && isStale(seen, options)) {
      await moveAside(path, seen, clock);
      seen = undefined;
      continue;
    }
    if (clock.monotonic() >= deadline) throw storageError("lock", path, new Error(heldTooLong(waitMs)));
    await clock.sleep(pauseMs * (0.5 + Math.random()));
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
  }
}

const longestPauseMs = 50;

const heldTooLong = (ms: number) => `another process has held it for ${Math.round(ms / 1000)} s; try again`;

async function make(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return false;
    throw storageError("lock", path, error);
  }
}

/** The state of another process's lock, and since when it is unchanged. */
interface SeenLock {
  readonly mark: string;
  readonly renewedAt: number;
  readonly since: number;
}

async function readLock(path: string, before: SeenLock | undefined, clock: Clock): Promise<SeenLock | undefined> {
  const mark = await markOf(path);
  if (mark === undefined) return undefined;
  if (before?.mark === mark.text) return before;
  return { mark: mark.text, renewedAt: mark.renewedAt, since: clock.monotonic() };
}

/** Compares the lock's own time and our monotonic time: a changed system clock must not make a live lock look stale. */
const isStale = ({ renewedAt, since }: SeenLock, { clock, staleMs }: LockOptions): boolean =>
  clock.now() - renewedAt > staleMs && clock.monotonic() - since > Math.min(staleMs / 4, 1_000);

async function markOf(path: string): Promise<{ text: string; renewedAt: number } | undefined> {
  try {
    const { dev, ino, mtimeMs } = await stat(path);
    return { text: `${dev}:${ino}:${mtimeMs}`, renewedAt: mtimeMs };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw storageError("inspect", path, error);
  }
}

/**
 * Moves the lock in one step, so that only one of several processes succeeds. If it moved a newer lock, it moves it
 * back.
 */
async function moveAside(path: string, { mark }: SeenLock, clock: Clock): Promise<void> {
  const aside = `${path}.old-${process.pid}-${Math.round(clock.monotonic() * 1000)}`;
  try {
    if ((await markOf(path))?.text !== mark) return;
    await rename(path, aside);
    if ((await markOf(aside))?.text !== mark) return await rename(aside, path);
    await rmdir(aside);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw storageError("move aside the old lock", path, error);
  }
}

async function hold(path: string, { clock, staleMs }: LockOptions): Promise<HeldLock> {
  const identity = await identityOf(path);
  const renew = () => {
    const now = clock.now() / 1000;
    // A lost lock is noticed before anything is written.
    utimes(path, now, now).catch(() => undefined);
  };
  const timer = setInterval(renew, staleMs / 4).unref();
  const isHeld = async () => identity !== undefined && (await identityOf(path)) === identity;
  return {
    async assertHeld() {
      if (!(await isHeld())) throw storageError("keep", path, new Error("another process has taken it; try again"));
    },
    async release() {
      clearInterval(timer);
      if (!(await isHeld())) return;
      await rmdir(path).catch((error: unknown) => {
        if (!hasErrorCode(error, "ENOENT")) throw storageError("unlock", path, error);
      });
    },
  };
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev}:${ino}`;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw storageError("inspect", path, error);
  }
}
