import { expect, test } from "vitest";
import type { MailId } from "../../../src/protocol/index.ts";
import { withExpectedReports } from "../../../src/team/lead/expect-reports.ts";
import type { Mailbox } from "../../../src/team/mailbox/mailbox.ts";

const id = "mail_1" as MailId;

/** A mailbox that reports to `steps` what it does, between the calls of `expect`. */
function mailboxWith(more: Partial<Mailbox>) {
  const steps: string[] = [];
  const mailbox = withExpectedReports(more as Mailbox, (to) => {
    const names = to === "*" ? ["ann", "bob"] : [to];
    for (const name of names) steps.push(`expect ${name}`);
    return new Map(names.map((name) => [name, () => void steps.push(`drop ${name}`)]));
  });
  return { mailbox, steps };
}

test("report is expected before the mail is stored: the member may be faster than the disk", async () => {
  const { mailbox, steps } = mailboxWith({
    send: async () => {
      steps.push("stored");
      return { id };
    },
  });
  await mailbox.send({ from: "user", to: "ann", text: "do it" });
  expect(steps).toEqual(["expect ann", "stored"]);
});

test("no report is expected for mail without work, and none any more for mail that was not stored", async () => {
  const { mailbox, steps } = mailboxWith({
    send: async () => {
      throw new Error("the disk is broken");
    },
    broadcast: async () => ({
      sent: [{ to: "ann", id }],
      failed: [{ to: "bob", error: new Error("the disk is broken") }],
    }),
  });
  await expect(mailbox.send({ from: "user", to: "ann", text: "note", wakes: false })).rejects.toThrow("disk");
  const body = { kind: "interrupt_request" } as const;
  await expect(mailbox.send({ from: "team-lead", to: "ann", body })).rejects.toThrow("disk");
  expect(steps).toEqual([]);
  await expect(mailbox.send({ from: "user", to: "ann", text: "do it" })).rejects.toThrow("disk");
  expect(steps.splice(0)).toEqual(["expect ann", "drop ann"]);
  await mailbox.broadcast({ from: "user", text: "stop" });
  expect(steps).toEqual(["expect ann", "expect bob", "drop bob"]);
});
