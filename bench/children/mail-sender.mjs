// Sends so many mails when it is told to, and says how long each took and which failed; without end for 0.
// Arguments: ours or reference, folder of the parts, home, name, count.
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openMail } from "../mail-team.mjs";

const [which, parts, home, from, count] = process.argv.slice(2);
const inside = (name) => import(pathToFileURL(join(parts, `${name}.js`)).href);
const text = "a line of what one agent tells another ".repeat(5);
const open = {
  async ours() {
    const { mailbox, close } = await openMail({ inside, home, names: [from, "receiver"] });
    return { send: () => mailbox.send({ from, to: "receiver", text }), close };
  },
  async reference() {
    const { openLockedArray } = await import("../locked-array.mjs");
    const inbox = openLockedArray(join(home, "receiver.json"));
    return { send: () => inbox.send({ from, text }), lock: inbox.lock, close: () => undefined };
  },
};
const { send, lock, close } = await open[which]();
const now = () => Number(process.hrtime.bigint()) / 1e6;
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
if (count === "0") {
  await lock?.();
  for (let first = true; ; first = false) {
    await (lock === undefined ? send() : new Promise((resolve) => setTimeout(resolve, 1000)));
    if (first) process.stdout.write("sending\n");
  }
}
const times = [];
let failed = 0;
const started = now();
for (let n = 0; n < Number(count); n++) {
  const before = now();
  try {
    await send();
  } catch {
    failed += 1; // the reference design's own: counted
  }
  times.push(now() - before);
}
const ended = now();
await close();
times.sort((a, b) => a - b);
const at = (share) => times[Math.floor((times.length - 1) * share)];
process.stdout.write(
  `${JSON.stringify({ started, ended, failed, p50: at(0.5), p99: at(0.99), sent: times.length - failed })}\n`,
);
