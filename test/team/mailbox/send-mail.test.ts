import { createHmac, createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Mail, type MailId } from "../../../src/protocol/index.ts";
import type { OutgoingMail } from "../../../src/team/mailbox/index.ts";
import { isSignedBy, signMail } from "../../../src/team/mailbox/sign-mail.ts";
import { createId, openTeamMail } from "../../support/mail/open-team-mail.ts";

describe("plain mail, which is sent without a schema check", () => {
  const wrong: readonly Record<string, unknown>[] = [
    { text: 5 },
    { text: null },
    { text: ["a"] },
    { text: {} },
    { wakes: "yes" },
    { wakes: null },
    { summary: ["a"] },
    { id: "mail_x" },
    { id: 7 },
    { replyTo: "anna" },
  ];

  it.for(wrong)("is refused with %o, and nothing is stored", async (change) => {
    const { mailbox } = await openTeamMail(["anna", "bert"]);
    const outgoing = { from: "anna", to: "bert", text: "hello", ...change } as OutgoingMail;
    await expect(mailbox.send(outgoing)).rejects.toMatchObject({ code: "mail" });
    expect(await mailbox.readAll("bert")).toEqual([]);
  });

  it.for<Partial<OutgoingMail>>([
    {},
    { text: "" },
    { text: "\ud800 half a character, \u0000, \u2028 and \ud83d\ude00" },
    { text: "a".repeat(70_000) },
    { summary: "b".repeat(500), urgent: true, wakes: false },
    { replyTo: createId<MailId>("mail"), id: createId<MailId>("mail") },
  ])("matches the schema and the sender's fields (%#)", async (change) => {
    const { mailbox } = await openTeamMail(["anna", "bert"]);
    const { id } = await mailbox.send({ from: "anna", to: "bert", text: "hello", ...change });
    const [mail, ...others] = await mailbox.readAll("bert");
    expect(others).toEqual([]);
    expect(Mail.safeParse(mail).success).toBe(true);
    expect(mail).toMatchObject({ id, sender: "verified" });
  });
});

describe("signature", () => {
  const key = createSecretKey(Buffer.alloc(32, 7));
  const base: Mail = {
    wakes: true,
    to: "bert",
    id: createId<MailId>("mail"),
    from: "anna",
    timestamp: "2026-01-01T00:00:00.000Z",
    body: { text: 'a "text" \u2028 \ud800', kind: "text" },
  };
  const mails: readonly Mail[] = [
    base,
    { ...base, color: "blue", summary: "s", urgent: true, replyTo: createId<MailId>("mail") },
    { ...base, body: { text: "long", kind: "text", file: "mail_x.txt" } },
    { ...base, body: { kind: "idle_notification", result: "done", idleReason: "available", completedTaskId: 3 } },
    { ...base, body: { kind: "interrupt_request" } },
  ];

  it.for(mails)("covers the JSON of the whole mail in key order (%#)", (mail) => {
    const expected = createHmac("sha256", key).update(sortedJson(mail)).digest("base64url");
    expect(signMail(mail, key).mail.signature).toBe(expected);
    expect(isSignedBy({ ...mail, signature: expected }, key)).toBe(true);
  });
});

const sortedJson = (mail: Mail): string =>
  JSON.stringify(mail, (_, value: unknown) =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
