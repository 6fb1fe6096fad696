import { createInterface } from "node:readline";
import { writeSync } from "node:fs";
import { currentProcess, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileTeamStore } from "../../../src/store/index.ts";

/** hold-task HOME TEAM NAME: announces itself, claims task 1, and obeys its input: `block MS`, `complete`, `end`. */
const [home = "", teamName = "", name = ""] = process.argv.slice(2);
const store = createFileTeamStore({
  home,
  clock: systemClock,
  createId: createIdFactory(systemClock),
  leaseMs: 1500,
  beatMs: 50,
});
const team = await store.open(teamName);
const presence = await team.presence.announce(name, "working");
presence.lost.addEventListener("abort", () => writeSync(1, "lost\n"));
const claimed = await team.tasks.claim(1, { name, holder: currentProcess() });
writeSync(1, `${claimed.ok ? "claimed" : claimed.message}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const [word = "", ms = ""] = line.split(" ");
  if (word === "end") break;
  if (word === "block") {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
    writeSync(1, "unblocked\n");
    continue;
  }
  const own = { name, generation: claimed.ok ? claimed.item.generation : 0 };
  const answer = await team.tasks.complete(1, own);
  writeSync(1, `${answer.ok ? "completed" : answer.reason}\n`);
}
process.stdin.destroy();
await presence.close();
await team.close();
