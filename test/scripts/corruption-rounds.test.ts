import { expect, onTestFinished, test } from "vitest";
import { createCorruptionGround, playCorruption } from "../../scripts/corruption-rounds.mjs";

/** A folder in place of the lead's inbox, and seeds that found faults before. `npm run soak` plays thousands. */
const seeds = [110, 126, 219, 304];

test("corrupted home: no command crashes, hangs or loses anything silently", { timeout: 600_000 }, async () => {
  const ground = await createCorruptionGround();
  onTestFinished(() => ground.remove());
  const rounds = [];
  for (const seed of seeds) rounds.push(await playCorruption(ground, seed));
  expect(rounds.filter(({ faults }) => faults.length > 0)).toEqual([]);
});
