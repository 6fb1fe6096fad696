import { writeSync } from "node:fs";
import { openMail } from "../mail/open-mail.ts";

/** mail-with-failed-sync HOME: sends a text, waits for the notice that the disk did not keep it, and sends two more. */
const [home = ""] = process.argv.slice(2);
const say = (words: string) => writeSync(1, `${words}\n`);
let told: () => void = () => undefined;
const isTold = new Promise<void>((resolve) => (told = resolve));
// The background sync does not keep the process alive.
const stayAlive = setInterval(() => undefined, 60_000);
const onNotice = (text: string) => {
  say(`told ${text}`);
  told();
};
const { mailbox, close } = openMail(home, { names: ["anna", "bert"], onNotice });

async function send(text: string): Promise<void> {
  try {
    await mailbox.send({ from: "anna", to: "bert", text });
    say(`sent ${text}`);
  } catch (error) {
    say(`failed ${error instanceof Error ? error.message : String(error)}`);
  }
}

await send("one");
await isTold;
await send("two");
await send("three");
say((await mailbox.readUnread("bert")).map(({ body }) => (body.kind === "text" ? body.text : body.kind)).join());
clearInterval(stayAlive);
await close();
