import { join } from "node:path";
import { type Claim, claim, makeFolder } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { TeamPlace } from "./repository.ts";

export interface Turn {
  /** The folder of its claims. */
  readonly folder: string;
  /** As messages call it. */
  readonly what: string;
  /** How long one other may keep it. However many come first, each of them has so long. */
  readonly waitMs?: number;
  /** Told once, when it has to wait. */
  onWait?(message: string): void;
}

/**
 * Does the work when nobody else on this machine does work of the same `folder`, in this process or another. A holder that
 * was killed holds nothing.
 */
export async function inTurn<T>(place: TeamPlace, turn: Turn, work: () => Promise<T>): Promise<T> {
  const held = await take(place, turn);
  try {
    return await work();
  } finally {
    await held.release();
  }
}

async function take(place: TeamPlace, turn: Turn): Promise<Claim> {
  await makeFolder(turn.folder);
  let deadline = 0;
  let holder: string | undefined;
  for (let pause = 4; ; pause = Math.min(pause * 2, 60)) {
    const won = await tryClaim(place, turn);
    if ("release" in won) return won;
    // It names who has the turn, and since when.
    if (won.message !== holder) deadline = place.clock.monotonic() + (turn.waitMs ?? 120_000);
    holder = won.message;
    if (place.clock.monotonic() > deadline) throw new TroupeError("git", won.message, { cause: won });
    if (pause === 32) turn.onWait?.(won.message);
    await place.clock.sleep(pause, place.signal);
  }
}

async function tryClaim({ createId, clock }: TeamPlace, { folder, what }: Turn): Promise<Claim | TroupeError> {
  try {
    return await claim(join(folder, "turn.jsonl"), { what, createId, clock });
  } catch (error) {
    if (TroupeError.is(error) && error.code === "session_busy") return error;
    throw error;
  }
}
