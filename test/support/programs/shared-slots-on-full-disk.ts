import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolderWatcher, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createSharedSlots } from "../../../src/team/limits/shared-slots.ts";

/**
 * shared-slots-on-full-disk FOLDER: releases a slot and asks for one while the small disk is full, then frees it.
 * Prints the results.
 */
const folder = process.argv[2] ?? "";
const ballast = join(folder, "ballast");
const open = (who: string) =>
  createSharedSlots({
    path: join(folder, "places.jsonl"),
    settings: { maxConcurrentAgents: 1 },
    watcher: createFolderWatcher({ rescanMs: 20 }),
    clock: systemClock,
    createId: createIdFactory(systemClock),
  }).forSession({ sessionId: who });
const admit = async (limits: ReturnType<typeof open>) => {
  const answer = await limits.acquire({ parentDepth: 0 });
  if (!answer.ok) throw new Error(answer.message);
  return answer.slot;
};

const limits = open("a");
// Uses up the first page of the file, so that the next entry needs space.
for (let times = 0; times < 20; times++) (await admit(limits)).release();
const first = await admit(limits);
const { bavail, bsize } = statfsSync(folder);
writeFileSync(ballast, Buffer.alloc(bavail * bsize));
for (let times = 0; times < 60; times++) limits.acquireSlotNow().release();
first.release();
let isThere = false;
const second = admit(limits).then(() => (isThere = true));
await new Promise((resolve) => setImmediate(resolve));
const waited = !isThere;
rmSync(ballast);
await second;
const { running, queued, total } = open("b");
process.stdout.write(JSON.stringify({ waited, running, queued, total }));
process.exit();
