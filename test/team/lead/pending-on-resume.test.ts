import { expect, test } from "vitest";
import type { Envelope, MailBody, Member } from "../../../src/protocol/index.ts";
import { pendingOnResume } from "../../../src/team/lead/pending-on-resume.ts";
import { openTeamMail } from "../../support/mail/open-team-mail.ts";

const failure: MailBody = { kind: "idle_notification", idleReason: "failed", failureReason: "the key was refused" };
const members = [{ name: "anna" }, { name: "bert" }] as unknown as readonly Member[];

/** Both members have unread work, and anna reports that it failed. The lead is resumed after `later`. */
async function resumedAfter(later: readonly Partial<Envelope>[], { ranOn }: { readonly ranOn: readonly string[] }) {
  const { mailbox } = await openTeamMail(["anna", "bert"]);
  await mailbox.send({ from: "team-lead", to: "anna", text: "begin" });
  await mailbox.send({ from: "team-lead", to: "bert", text: "begin" });
  const { id } = await mailbox.send({ from: "anna", to: "team-lead", body: failure });
  const heard = { event: { type: "mail.received", mailId: id, from: "anna" } } as Partial<Envelope>;
  return await pendingOnResume(members, {
    mailbox,
    lead: { hasPrompt: async () => true },
    replayed: [sentToAnna, heard, ...later],
    ranOn: (name) => ranOn.includes(name),
  });
}

const sentToAnna = { event: { type: "mail.sent", to: "anna", kind: "text" } } as Partial<Envelope>;

test("a member that failed and ran on without its lead is not awaited for the mail that it left unread", async () => {
  const pending = await resumedAfter([], { ranOn: ["anna", "bert"] });
  expect(pending).toEqual({ awaited: new Set(["bert"]), failed: new Set(["anna"]) });
});

test("a failed member is awaited if it got new work, or if it starts again and so reads its mail", async () => {
  const all = { awaited: new Set(["anna", "bert"]), failed: new Set() };
  expect(await resumedAfter([sentToAnna], { ranOn: ["anna", "bert"] })).toEqual(all);
  expect(await resumedAfter([], { ranOn: ["bert"] })).toEqual(all);
});
