import { writeSync } from "node:fs";
import { openMail } from "../mail/open-mail.ts";

/**
 * mail-steps HOME: sends to an inbox with two mails, reads it, marks them, lets the file be rotated and read mail be
 * removed. Prints when each step begins and how it ended. Always ends by itself.
 */
const [home = ""] = process.argv.slice(2);
const { mailbox, close } = openMail(home, { names: ["anna", "bert", "team-lead"], rotateBytes: 100 });
const say = (words: string) => writeSync(1, `${words}\n`);

async function step(name: string, work: () => Promise<string>): Promise<void> {
  try {
    if (name === "send") say("send begins");
    say(`${name} ok ${await work()}`);
  } catch (error) {
    say(`${name} failed ${codeIn(error) ?? String(error)}`);
  }
}

/** The error code in the message that the user reads. */
const codeIn = (error: unknown) =>
  error instanceof Error && error.name === "TroupeError" ? /\((E[A-Z]+)\)\.$/.exec(error.message)?.[1] : undefined;

const sendText = async () => (await mailbox.send({ from: "anna", to: "bert", text: "x".repeat(120) })).id;
const sendControl = async () =>
  (await mailbox.send({ from: "anna", to: "bert", body: { kind: "idle_notification", idleReason: "available" } })).id;
const readAll = async () => (await mailbox.readUnread("bert")).map(({ id }) => id).join(",");
const markOne = async () => {
  const [first] = await mailbox.readUnread("bert");
  if (first === undefined) return "";
  say(`mark begins ${first.id}`);
  await mailbox.markRead("bert", [first.id]);
  return first.id;
};

await step("send", sendText);
await step("send", sendControl);
await step("read", readAll);
for (let i = 0; i < 4; i++) await step("mark", markOne);
for (let i = 0; i < 3; i++) {
  await step("send", sendText);
  await step("mark", markOne);
}
await step("send", sendControl);
await step("read", readAll);
await step("close", async () => {
  await close();
  return "";
});
