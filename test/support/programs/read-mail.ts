import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { openMail } from "../mail/open-mail.ts";

/**
 * read-mail HOME NAME TRANSCRIPT COUNT: appends each mail to the transcript and then marks it, as an agent does. Skips
 * mail that is already in the transcript. Prints a word after each step. Ends when COUNT mails are in the transcript.
 */
const [home = "", name = "", transcript = "", count = "0"] = process.argv.slice(2);
const { mailbox, close } = openMail(home, { names: [name], rotateBytes: 20_000 });
const known = new Set(existsSync(transcript) ? readFileSync(transcript, "utf8").split("\n").filter(Boolean) : []);
const abort = new AbortController();
// The previous run may have been killed after the last mark.
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
