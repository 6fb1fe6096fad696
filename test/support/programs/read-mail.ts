import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { openMail } from "../mail/open-mail.ts";

/**
 * read-mail HOME NAME TRANSCRIPT COUNT: puts each mail into the transcript and marks it after that, as an agent does, and
 * nothing twice that is in the transcript already; says a word after each step. Ends when that many are in it.
 */
const [home = "", name = "", transcript = "", count = "0"] = process.argv.slice(2);
const { mailbox, close } = openMail(home, { names: [name], rotateBytes: 20_000 });
const known = new Set(existsSync(transcript) ? readFileSync(transcript, "utf8").split("\n").filter(Boolean) : []);
const abort = new AbortController();
// Its earlier life may have been killed after the last mark.
if (known.size >= Number(count) && (await mailbox.readUnread(name)).length === 0) abort.abort();
for await (const mail of mailbox.follow(name, abort.signal)) {
  await mailbox.markDelivered(name, [mail.id]);
  writeSync(1, "delivered\n");
  if (!known.has(mail.id)) appendFileSync(transcript, `${mail.id}\n`);
  known.add(mail.id);
  writeSync(1, "put\n");
  await mailbox.markRead(name, [mail.id]);
  writeSync(1, "marked\n");
  if (known.size >= Number(count)) abort.abort();
}
await close();
