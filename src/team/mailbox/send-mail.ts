import type { KeyObject } from "node:crypto";
import type { Clock, CreateId } from "../../platform/index.ts";
import { Mail, type MailBody, type MailId, type Member, TroupeError, teamUser } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { findMember, findSender } from "./find-member.ts";
import { assertFits, fitBody, needsNoFile } from "./fit-body.ts";
import type { Keys } from "./keys.ts";
import type { OutgoingMail } from "./mailbox.ts";
import { whyMayNotSend } from "./may-send.ts";
import { createPairRate } from "./pair-rate.ts";
import { type SignedMail, signMail } from "./sign-mail.ts";

export interface SendOptions {
  readonly team: string;
  readonly store: Pick<StoredTeam, "inbox" | "bodies" | "isUnsigned">;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly createId: CreateId;
  readonly keys: Keys;
  readonly members: () => readonly Member[];
  readonly pairsPerMinute?: number;
}

/** Checks, signs and stores a mail. What one mailbox sends to one member is stored in the order of the calls. */
export function createSend(options: SendOptions): (outgoing: OutgoingMail) => Promise<{ readonly id: MailId }> {
  const { store, clock, createId, keys, team } = options;
  const rate = createPairRate({ clock, perMinute: options.pairsPerMinute ?? 60 });
  /** For each receiver, what is still being made ready: whatever is sent after it waits until it is written. */
  const turns = new Map<string, Promise<unknown>>();
  const timestamp = createStamp(clock);

  // No await before the write, unless something must be waited for: that is what keeps the order.
  const send = async (outgoing: OutgoingMail): Promise<{ readonly id: MailId }> => {
    const draft = check(outgoing);
    const { id, to } = draft;
    const key = keys.knownToSign(draft.from);
    const isReady = key !== undefined && needsNoFile(draft.body);
    if (isReady && !turns.has(to)) await put(seal(draft, key));
    else await storeInTurn(to, isReady ? Promise.resolve(seal(draft, key)) : finish(draft));
    return { id };
  };

  const check = (outgoing: OutgoingMail): Draft => {
    const members = options.members();
    const sender = findSender(outgoing.from, { team, members });
    const from = sender?.name ?? teamUser;
    const to = findMember(outgoing.to, { team, members }).name;
    const body = bodyOf(outgoing);
    const refusal = whyMayNotSend(from, body.kind);
    if (refusal !== undefined) throw new TroupeError("mail", `Not sent: ${refusal}.`);
    if (body.kind === "text" && from !== teamUser) rate.count(from, to);
    return { outgoing, id: outgoing.id ?? createId<MailId>("mail"), from, to, color: sender?.color, body };
  };

  const put = ({ mail, json }: Sealed) => store.inbox(mail.to).send(mail, json);

  const finish = async (draft: Draft): Promise<Sealed> => {
    const [body, key] = await Promise.all([
      fitBody(draft.body, { id: draft.id, bodies: store.bodies }),
      keys.toSign(draft.from),
    ]);
    return seal({ ...draft, body }, key);
  };

  const seal = (draft: Draft, key: KeyObject | undefined): Sealed => {
    const mail = mailOf(draft, timestamp());
    const checked = isCertainlyMail(mail, draft.outgoing) ? mail : parseOutgoing(mail);
    if (key !== undefined) return signMail(checked, key);
    const { kind } = draft.body;
    if (kind === "text" || store.isUnsigned) return { mail: checked };
    throw new TroupeError("mail", `${draft.from} has no key here, and a ${kind} that is not signed counts nothing.`);
  };

  const storeInTurn = async (to: string, ready: Promise<Sealed>): Promise<void> => {
    const before = turns.get(to);
    let storing: Promise<void> | undefined;
    const write = async () => {
      const sealed = await ready;
      await before;
      storing = put(sealed);
    };
    const written = write();
    const turn = Promise.allSettled([before, written]);
    turns.set(to, turn);
    try {
      await written;
      await storing;
    } finally {
      if (turns.get(to) === turn) turns.delete(to);
    }
  };

  return send;
}

type Sealed = SignedMail | { readonly mail: Mail; readonly json?: never };

interface Draft {
  readonly outgoing: OutgoingMail;
  readonly id: MailId;
  readonly from: string;
  readonly to: string;
  readonly color: string | undefined;
  readonly body: MailBody;
}

function bodyOf({ text, body }: OutgoingMail): MailBody {
  if (body === undefined) {
    if (text === undefined) throw new TroupeError("mail", "A mail without a text was not sent.");
    return { kind: "text", text };
  }
  if (text !== undefined) throw new TroupeError("mail", "A mail has a text or a body, not both.");
  if (body.kind === "text") return { kind: "text", text: body.text };
  // As it will be read back: what is signed must be what is stored.
  const json = JSON.stringify(body);
  assertFits(json);
  return JSON.parse(json) as MailBody;
}

function mailOf({ outgoing, id, from, to, color, body }: Draft, timestamp: string): Mail {
  const { summary, urgent, replyTo, wakes = body.kind !== "idle_notification" } = outgoing;
  const mail: Mail = { id, from, to, timestamp, wakes, body };
  if (color !== undefined) mail.color = color;
  if (summary !== undefined) mail.summary = summary.slice(0, longestSummary);
  if (urgent === true) mail.urgent = urgent;
  if (replyTo !== undefined) mail.replyTo = replyTo;
  return mail;
}

const longestSummary = 200;

/** Many are sent within a millisecond: its words are made once. */
function createStamp(clock: Pick<Clock, "now">): () => string {
  let last = Number.NaN;
  let text = "";
  return () => {
    const now = clock.now();
    if (now !== last) text = new Date(now).toISOString();
    last = now;
    return text;
  };
}

/**
 * Whether the schema could find nothing wrong with it: names, id and time are our own, so what is left are the types of what
 * was passed in. The schema's first use costs a process more than a hundred sends.
 */
const isCertainlyMail = ({ body, summary, wakes }: Mail, { id, replyTo }: OutgoingMail): boolean =>
  body.kind === "text" &&
  typeof body.text === "string" &&
  typeof wakes === "boolean" &&
  (summary === undefined || typeof summary === "string") &&
  id === undefined &&
  replyTo === undefined;

function parseOutgoing(mail: Mail): Mail {
  const parsed = Mail.safeParse(mail);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join(".") ?? "";
  throw new TroupeError("mail", `This is no mail that can be sent: ${where}: ${issue?.message ?? "wrong form"}.`);
}
