import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Claim, claim, hasErrorCode, makeFolder } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { TeamPlace } from "./repository.ts";

export interface Turn {
  /** The folder of its claims. */
  readonly folder: string;
  /** As messages call it. */
  readonly what: string;
  readonly waitMs?: number;
  /** Told once, when it has to wait. */
  onWait?(message: string): void;
}

/**
 * Does the work when nobody else on this machine does work of the same `folder`, in this process or another. A holder that
 * was killed holds nothing. The file of claims grows, so its last user begins the next one when it has become long: that is
 * the last thing it does in its turn, and whoever wins a claim in a file that is not the newest tries again.
 */
export async function inTurn<T>(place: TeamPlace, turn: Turn, work: () => Promise<T>): Promise<T> {
  const held = await take(place, turn);
  try {
    return await work();
  } finally {
    try {
      await beginNextFile(turn.folder, held.number);
    } finally {
      await held.claim.release();
    }
  }
}

async function take(place: TeamPlace, turn: Turn): Promise<{ claim: Claim; number: number }> {
  await makeFolder(turn.folder);
  const deadline = place.clock.monotonic() + (turn.waitMs ?? 120_000);
  for (let pause = 4; ; pause = Math.min(pause * 2, 60)) {
    const number = await newest(turn.folder);
    const won = await tryClaim(place, turn, number);
    if ("release" in won) {
      if ((await newest(turn.folder)) === number) return { claim: won, number };
      await won.release();
    } else {
      if (place.clock.monotonic() > deadline) throw new TroupeError("git", won.message, { cause: won });
      if (pause === 32) turn.onWait?.(won.message);
    }
    await place.clock.sleep(pause, place.signal);
  }
}

async function tryClaim(place: TeamPlace, turn: Turn, number: number): Promise<Claim | TroupeError> {
  try {
    return await claim(fileOf(turn.folder, number), { what: turn.what, createId: place.createId, clock: place.clock });
  } catch (error) {
    if (TroupeError.is(error) && error.code === "session_busy") return error;
    throw error;
  }
}

async function beginNextFile(folder: string, number: number): Promise<void> {
  if ((await stat(fileOf(folder, number))).size < longBytes) return;
  if (number > 0) await rm(fileOf(folder, number - 1), { force: true });
  try {
    await writeFile(fileOf(folder, number + 1), "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Somebody who was slow to see it made it again: it is there, which is all that matters.
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

async function newest(folder: string): Promise<number> {
  const names = await readdir(folder);
  return Math.max(0, ...names.map((name) => Number(/^turn\.(\d+)\.jsonl$/.exec(name)?.[1] ?? 0)));
}

const fileOf = (folder: string, number: number) => join(folder, `turn.${number}.jsonl`);
const longBytes = 32 * 1024;
