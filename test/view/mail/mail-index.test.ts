import { expect, test } from "vitest";
import type { Envelope, Event, MailId, PromptId } from "../../../src/protocol/index.ts";
import { emptyMailIndex, joinMailIndexes, type MailIndex, maxMails, reduceMailIndex } from "../../../src/view/index.ts";
import { enclose, helper, lead } from "../../support/view/sample-envelopes.ts";

const mailId = (number: number) => `mail_${String(number).padStart(8, "0")}` as MailId;
const promptId = (number: number) => mailId(number).replace("mail_", "prm_m") as PromptId;
const joined = (name: string): Event => ({ type: "team.joined", team: "t", name, role: "teammate" });
const facts = (number: number) => ({ team: "t", mailId: mailId(number), kind: "text", summary: "hello" });
const sent = (number: number, to: string): Event => ({ type: "mail.sent", ...facts(number), to });
const received = (number: number, from: string, as?: PromptId): Event => ({
  type: "mail.received",
  ...facts(number),
  from,
  ...(as && { promptId: as }),
});
const promoted = (number: number): Event => ({ type: "prompt.promoted", promptId: promptId(number) });

const fold = (envelopes: readonly Envelope[]): MailIndex => envelopes.reduce(reduceMailIndex, emptyMailIndex);

const log = enclose([
  joined("ann"),
  [helper, joined("bob")],
  sent(1, "bob"),
  sent(2, "bob"),
  sent(3, "bob"),
  sent(4, "bob"),
  [helper, received(1, "ann", promptId(1))],
  [helper, promoted(1)],
  [helper, received(2, "ann", promptId(2))],
  [helper, received(3, "ann")],
  // Promoted before it was recorded as received.
  [helper, promoted(5)],
  [helper, received(5, "user", promptId(5))],
  { type: "prompt.promoted", promptId: "prm_00000009" as PromptId },
]);

const states = (flows: readonly MailIndex[]) =>
  joinMailIndexes(flows).map(({ id, from, to, sentAt, receivedAt, readAt }) => [
    Number(id.slice(5)),
    `${from} ${to}`,
    readAt ? "read" : receivedAt ? "delivered" : sentAt ? "sent" : "",
  ]);

const expected = [
  [1, "ann bob", "read"],
  [2, "ann bob", "delivered"],
  [3, "ann bob", "read"],
  [4, "ann bob", "sent"],
  [5, "user bob", "read"],
];

test("the state of a mail is known, in whatever order the logs are read", () => {
  expect(states([fold(log)])).toEqual(expected);
  const [ofLead, ofHelper] = [lead, helper].map((agent) => log.filter((envelope) => envelope.agent === agent));
  expect(states([fold([...(ofHelper ?? []), ...(ofLead ?? [])])])).toEqual(expected);
  expect(states([fold(ofHelper ?? []), fold(ofLead ?? [])])).toEqual(expected);
});

test("duplicates count once, and unrelated events change nothing", () => {
  const flow = fold(log);
  expect(log.reduce(reduceMailIndex, flow)).toBe(flow);
});

test("of very many the later ones are kept", () => {
  const flow = fold(
    enclose([joined("ann"), ...Array.from({ length: maxMails + 10 }, (_, index) => sent(index, "bob"))]),
  );
  const mails = joinMailIndexes([flow]);
  expect(mails.length).toBeLessThanOrEqual(maxMails);
  expect(mails.at(-1)?.id).toBe(mailId(maxMails + 9));
});
