import { join } from "node:path";
import { type Claim, claim, makeFolder } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { RepositoryContext } from "./repository.ts";

export interface RepositoryLock {
  /** The folder of its claims. */
  readonly folder: string;
  /** Its name in messages. */
  readonly what: string;
  /** How long one other may keep it. However many come first, each of them has so long. */
  readonly waitMs?: number;
  /** Called once if it has to wait. */
  onWait?(message: string): void;
}

/**
 * Runs `work` while no other work with the same `folder` runs on this machine, in any process. A killed process holds
 * no lock.
 */
export async function withRepositoryLock<T>(
  place: RepositoryContext,
  lock: RepositoryLock,
  work: () => Promise<T>,
): Promise<T> {
  const held = await acquireLock(place, lock);
  try {
    return await work();
  } finally {
    await held.release();
  }
}

async function acquireLock(place: RepositoryContext, lock: RepositoryLock): Promise<Claim> {
  await makeFolder(lock.folder);
  let deadline = 0;
  let holder: string | undefined;
  for (let pause = 4; ; pause = Math.min(pause * 2, 60)) {
    const claimed = await tryClaim(place, lock);
    if ("release" in claimed) return claimed;
    // The message names the holder and the time of its claim.
    if (claimed.message !== holder) deadline = place.clock.monotonic() + (lock.waitMs ?? 120_000);
    holder = claimed.message;
    if (place.clock.monotonic() > deadline) throw new TroupeError("git", claimed.message, { cause: claimed });
    if (pause === 32) lock.onWait?.(claimed.message);
    await place.clock.sleep(pause, place.signal);
  }
}

async function tryClaim(
  { createId, clock }: RepositoryContext,
  { folder, what }: RepositoryLock,
): Promise<Claim | TroupeError> {
  try {
    return await claim(join(folder, "turn.jsonl"), { what, createId, clock });
  } catch (error) {
    if (TroupeError.is(error) && error.code === "session_busy") return error;
    throw error;
  }
}
