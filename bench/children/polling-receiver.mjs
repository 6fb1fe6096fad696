// Polls its inbox every 500 ms, and answers each mail with the time when it saw it. Argument: folder.
import { join } from "node:path";
import { openReference } from "../reference-mailbox.mjs";

const folder = process.argv[2];
const inbox = openReference(join(folder, "receiver.json"));
const answers = openReference(join(folder, "sender.json"));
console.log("ready");
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const unread = inbox.read().filter(({ read }) => !read);
  const seenAt = Number(process.hrtime.bigint()) / 1e6;
  if (unread.length === 0) continue;
  await inbox.markRead();
  for (const _ of unread) await answers.send(String(seenAt));
}
