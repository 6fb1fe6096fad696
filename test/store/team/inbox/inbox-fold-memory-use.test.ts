import { mkdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createFolderWatcher, systemClock } from "../../../../src/platform/index.ts";
import { openMailFiles, teamFiles } from "../../../../src/store/index.ts";
import { createInboxFold } from "../../../../src/store/team/inbox/inbox-fold.ts";
import { heldBytes } from "../../../support/processes/held-bytes.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { createId, textMail, textsOf } from "../../../support/mail/sample-mail.ts";

test("memory does not grow with the mail read from an inbox", () => {
  const fold = createInboxFold({ keepsRead: false, marks: { has: () => false, forget: () => undefined } });
  const goOn = (count: number) => {
    for (let i = 0; i < count; i++) {
      const mail = textMail("hello");
      fold.apply({ mail }, 1);
      fold.apply({ mark: "read", ids: [mail.id] }, 1);
    }
    return heldBytes();
  };
  const few = goOn(2_000);
  expect(goOn(20_000) - few).toBeLessThan(500_000);
  expect(fold.entries.size).toBe(0);
  expect(fold.countsOf(1)).toMatchObject({ held: 22_000, unread: 0 });
});

test("a read mail that is sent again is not read again, however old; a late new one is read", async () => {
  const files = teamFiles(temporaryFolder(), "t");
  mkdirSync(files.folder, { recursive: true });
  const watcher = createFolderWatcher();
  const open = () => openMailFiles({ team: "t", files, watcher, clock: systemClock, createId });
  const store = open();
  onTestFinished(async () => {
    await store.close();
    watcher.close();
  });
  const inbox = store.inbox("bert");
  const reader = await inbox.openReader();
  const late = textMail("late");
  const mails = Array.from({ length: 200 }, (_, index) => textMail(`mail ${index}`));
  for (const mail of mails) await inbox.send(mail);
  expect(await inbox.peekUnread()).toMatchObject({ mail: { length: mails.length } });
  await reader.mark(
    mails.map(({ id }) => id),
    "read",
  );
  for (const mail of [...mails, late]) await inbox.send(mail);
  expect(textsOf(await reader.unread())).toEqual(["late"]);
  expect(textsOf((await inbox.peekUnread()).mail)).toEqual(["late"]);
  await reader.close();
  // The same holds for a new reader.
  const again = open();
  onTestFinished(() => again.close());
  const next = await again.inbox("bert").openReader();
  expect(textsOf(await next.unread())).toEqual(["late"]);
  await next.close();
});
