// Publishes two states of a member in turns for a moment. Argument: folder.
import { systemClock } from "../../../src/platform/index.ts";
import { createPresence } from "../../../src/store/team/presence/file-presence.ts";

const presence = createPresence({ folder: process.argv[2] ?? "", clock: systemClock, uptime: () => 1_000_000 });
const own = await presence.announce("tester", "working", "x".repeat(300));
console.log("begun");
for (let i = 0; i < 20_000; i++) {
  await own.set("idle", "off");
  await own.set("working", "x".repeat(300));
}
await presence.close();
