import { createFolderWatcher, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createSharedSlots } from "../../../src/team/limits/shared-slots.ts";

/** hold-slots FILE COUNT: acquires COUNT slots, prints a message, and keeps them until it is killed. */
const [path = "", count = "1"] = process.argv.slice(2);
const limits = createSharedSlots({
  path,
  watcher: createFolderWatcher(),
  clock: systemClock,
  createId: createIdFactory(systemClock),
}).forSession({ sessionId: "held", member: "scout@alpha" });
for (let times = 0; times < Number(count); times++) await limits.acquire({ parentDepth: 0 });
limits.lendOwnSlot();
process.stdout.write("held\n");
setInterval(() => undefined, 60_000);
