import { join } from "node:path";
import { expect, test } from "vitest";
import { claim, createIdFactory } from "../../../src/platform/index.ts";
import { withRepositoryLock } from "../../../src/team/worktree/repository-lock.ts";
import { createTestClock } from "../../../src/testing.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

/** Other holders pass the lock on after every `looks` checks of the waiting caller, `times` times. */
async function wait({ looks, times }: { looks: number; times: number }): Promise<string> {
  const folder = temporaryFolder();
  const clock = createTestClock();
  const createId = createIdFactory(clock);
  const take = () => claim(join(folder, "turn.jsonl"), { what: "It", createId, clock });
  let held = await take();
  let looked = 0;
  const sleep = async (ms: number) => {
    await clock.advance(ms);
    looked += 1;
    if (looked % looks !== 0 || looked > looks * times) return;
    await held.release();
    if (looked < looks * times) held = await take();
  };
  const place = { cwd: folder, home: folder, userHome: folder, env: {}, clock: { ...clock, sleep }, createId };
  return withRepositoryLock(place, { folder, what: "It", waitMs: 1000 }, async () => "done");
}

test("many quick holders may together take longer than the wait limit", async () => {
  expect(await wait({ looks: 10, times: 20 })).toBe("done");
});

test("a holder that keeps the lock too long makes the wait fail with its name", async () => {
  await expect(wait({ looks: 1000, times: 1 })).rejects.toThrow(/^It is in use by process \d+/);
});
