import { writeSync } from "node:fs";
import { join } from "node:path";
import { openLineFile } from "../../../src/platform/index.ts";
import { openMail } from "../mail/open-mail.ts";

/**
 * power-cut-steps HOME: appends to a log, sends to an inbox, reads it, and lets its file be rotated and read mail be
 * removed. Prints the begin and the end of each step. Ends without closing anything, because the power cut comes before
 * that.
 */
const [home = ""] = process.argv.slice(2);
const { mailbox } = openMail(home, { names: ["anna", "bert", "team-lead"], rotateBytes: 900 });
const log = openLineFile(join(home, "log.jsonl"), { durability: "disk", soleWriter: true });
const say = (words: string) => writeSync(1, `${words}\n`);
let count = 0;

async function append(): Promise<void> {
  const number = ++count;
  await log.append([{ number, text: `${number} `.repeat(40) }]);
  say(`appended ${number}`);
}

async function sendText(): Promise<void> {
  const number = ++count;
  const { id } = await mailbox.send({ from: "anna", to: "bert", text: `${number} `.repeat(30) });
  say(`sent ${id} ${number}`);
}

async function sendControl(): Promise<void> {
  const number = ++count;
  const body = { kind: "idle_notification", idleReason: "available", result: `${number} `.repeat(30) } as const;
  const { id } = await mailbox.send({ from: "anna", to: "bert", body });
  say(`stored ${id} ${number}`);
}

async function markOldest(): Promise<void> {
  const [first] = await mailbox.readUnread("bert");
  if (first === undefined) return;
  say(`marking ${first.id}`);
  await mailbox.markRead("bert", [first.id]);
}

await sendText();
await sendControl();
await append();
await Promise.all([sendControl(), sendControl(), sendText(), append(), append()]);
for (let round = 0; round < 6; round++) {
  await sendControl();
  await markOldest();
  await sendText();
  await markOldest();
  await append();
  await markOldest();
}
await sendText();
process.exit(0);
