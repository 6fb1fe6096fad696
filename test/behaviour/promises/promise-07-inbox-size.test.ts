import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTeamMail } from "../../support/mail/open-team-mail.ts";

const mails = 20_000;

test(`promise 07: an inbox that has seen ${mails} mails is as small as what is not read yet, and whoever opens it reads no more than that`, async () => {
  const { mailbox, again, inboxes } = await openTeamMail(["anna", "bert"], { pairsPerMinute: Infinity });
  const first = await mailbox.send({ from: "anna", to: "bert", text: "read at once" });
  const kept = await mailbox.send({ from: "anna", to: "bert", text: "never read" });
  await mailbox.markRead("bert", [first.id]);
  for (let sent = 0; sent < mails; sent += 100) {
    const batch = Array.from({ length: 100 }, (_, n) =>
      mailbox.send({ from: "anna", to: "bert", text: `${sent + n} ${"x".repeat(200)}` }),
    );
    const ids = (await Promise.all(batch)).map(({ id }) => id);
    await mailbox.markDelivered("bert", ids);
    await mailbox.markRead("bert", ids);
  }
  expect((await mailbox.readUnread("bert")).map(({ id }) => id)).toEqual([kept.id]);
  await mailbox.close();
  const sizes = readdirSync(inboxes).map((name) => statSync(join(inboxes, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000);

  const next = await again();
  expect((await next.readUnread("bert")).map(({ id }) => id)).toEqual([kept.id]);
  expect(await next.receipt(first.id, "bert")).toBe("read");
  expect(await next.receipt(kept.id, "bert")).toBe("queued");
  expect((await next.readAll("bert")).length).toBeLessThan(mails / 4);
});
