import { join } from "node:path";
import { expect, test } from "vitest";
import { claim, idMaker } from "../../../src/platform/index.ts";
import { inTurn } from "../../../src/team/worktree/in-turn.ts";
import { createTestClock } from "../../../src/testing.ts";
import { temporaryFolder } from "../../platform/temporary-folder.ts";

/** Others have the turn, and hand it on after every `looks` looks of whoever waits, `times` times. */
async function wait({ looks, times }: { looks: number; times: number }): Promise<string> {
  const folder = temporaryFolder();
  const clock = createTestClock();
  const createId = idMaker(clock);
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
  return inTurn(place, { folder, what: "It", waitMs: 1000 }, async () => "done");
}

test("many come first, and each of them is quick: their turns together may take long", async () => {
  expect(await wait({ looks: 10, times: 20 })).toBe("done");
});

test("one keeps the turn for too long: whoever waits gives up, and says who has it", async () => {
  await expect(wait({ looks: 1000, times: 1 })).rejects.toThrow(/^It is in use by process \d+/);
});
