import { expect, test } from "vitest";
import type { MailId, Member } from "../../../src/protocol/index.ts";
import { storageError } from "../../../src/platform/index.ts";
import { createPermissionCeiling } from "../../../src/team/lead/permission-ceiling.ts";
import type { MailSender } from "../../../src/team/mailbox/mail-sender.ts";
import { memberNamed } from "../../support/mail/open-mail.ts";

const memberOf = (name: string): Member => ({ ...memberNamed(name), mode: "bypassPermissions" });

test("a failed notification leaves no other member above the lead's mode and reaches the caller", async () => {
  const lowered: string[] = [];
  const sender: Pick<MailSender, "send"> = {
    async send({ to }) {
      if (to === "anna") throw storageError("write to", "anna.jsonl", Object.assign(new Error("EIO"), { code: "EIO" }));
      return "mail_1" as MailId;
    },
  };
  const rights = createPermissionCeiling({
    record: {
      async change(name) {
        lowered.push(name);
        return memberOf(name);
      },
    },
    sender: sender as MailSender,
    others: () => ["anna", "bert", "carl"].map(memberOf),
    warnNotDelivered: () => async (error) => {
      throw error;
    },
  });
  await expect(rights.onLeadMode("default")).rejects.toMatchObject({ code: "storage" });
  expect(lowered).toEqual(["bert", "carl"]);
});
