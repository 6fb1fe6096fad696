// Waits for a signal, then sends `count` mails and prints how long each took and which failed; 0 means without end.
// Ends when its input ends, so that the exit does not count as a send. Arguments: ours, reference or bare, folder of
// the parts, home, name, count.
import { once } from "node:events";
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
  /** The minimum for a send: one line of JSON, in one write. */
  async bare() {
    const fd = openSync(join(home, "bare"), "a");
    const send = async () => writeSync(fd, `\n${JSON.stringify({ from, text, more: "y".repeat(200) })}\n`);
    return { send, close: () => undefined };
  },
};
const { send, lock, close } = await open[which]();
const now = () => Number(process.hrtime.bigint()) / 1e6;
process.stdout.write("ready\n");
const [moment] = await once(process.stdin, "data");
if (count === "0") {
  await lock?.();
  for (let first = true; ; first = false) {
    await (lock === undefined ? send() : sleep(1000));
    if (first) process.stdout.write("sending\n");
  }
}
const times = [];
let failed = 0;
await sleep(Math.max(0, Number(moment) - now()));
const cpuBefore = process.cpuUsage();
const started = now();
for (let n = 0; n < Number(count); n++) {
  const before = now();
  try {
    await send();
  } catch {
    failed += 1; // an expected failure of the reference design: counted
  }
  times.push(now() - before);
}
const ended = now();
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(
  `${JSON.stringify({ started, ended, failed, times, cpu: user + system, sent: times.length - failed })}\n`,
);
process.stdin.resume();
await once(process.stdin, "end");
await close();
