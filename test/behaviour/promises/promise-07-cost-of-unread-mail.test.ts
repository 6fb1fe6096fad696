import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeLine } from "../../../src/platform/index.ts";
import { textMail } from "../../support/mail/sample-mail.ts";
import { openTeamMail } from "../../support/mail/open-team-mail.ts";

const mails = 100_000;

/** Bytes that the process has read from files so far. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

async function readBy(work: () => Promise<unknown>): Promise<number> {
  const before = bytesRead();
  await work();
  return bytesRead() - before;
}

test(`promise 07: with ${mails} unread mails a poll costs only new mail; all can be compacted away`, async () => {
  const { mailbox, again, inboxes } = await openTeamMail(["anna", "bert"], { pairsPerMinute: Infinity });
  const sent = Array.from({ length: mails }, (_, n) => textMail(`${n} ${"x".repeat(100)}`));
  mkdirSync(inboxes, { recursive: true });
  const path = join(inboxes, "bert.jsonl");
  writeFileSync(path, sent.map((mail) => encodeLine({ mail })).join(""), { mode: 0o600 });
  const { size } = statSync(path);

  const unread = await mailbox.readUnread("bert");
  expect(unread.length).toBe(mails);
  expect(unread.every(({ id }, n) => id === sent[n]?.id)).toBe(true);
  expect(await readBy(() => mailbox.readUnread("bert"))).toBeLessThan(size / 20);
  await mailbox.send({ from: "anna", to: "bert", text: "one more" });
  expect(await readBy(async () => expect(await mailbox.readUnread("bert")).toHaveLength(mails + 1))).toBeLessThan(
    size / 20,
  );

  // Marks all but one in a thousand, in batches of the size that was read.
  const isKept = (_: unknown, n: number) => n % 1_000 === 0;
  const kept = sent.filter(isKept).map(({ id }) => id);
  for (let from = 0; from < mails; from += 1_000) {
    const read = sent.slice(from, from + 1_000).filter((mail, n) => !isKept(mail, from + n));
    await mailbox.markRead(
      "bert",
      read.map(({ id }) => id),
    );
  }
  const left = async (box: typeof mailbox) => (await box.readUnread("bert")).map(({ id }) => id);
  const last = (await left(mailbox)).at(-1);
  expect(await left(mailbox)).toEqual([...kept, last]);
  // The read part of a large file is removed as soon as the next file has been rotated.
  const more = Array.from({ length: 100 }, () => mailbox.send({ from: "anna", to: "bert", text: "x".repeat(10_000) }));
  const late = (await Promise.all(more)).map(({ id }) => id);
  await mailbox.markRead("bert", late);
  await mailbox.close();
  const sizes = readdirSync(inboxes).map((name) => statSync(join(inboxes, name)).size);
  expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThan(size / 8);
  const next = await again();
  expect(await left(next)).toEqual([...kept, last]);
});
