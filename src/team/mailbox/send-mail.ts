import type { KeyObject } from "node:crypto";
import type { Clock, CreateId } from "../../platform/index.ts";
import { Mail, type MailBody, type MailId, type Member, TroupeError, teamUser } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { findMember, findSender } from "./find-member.ts";
import { assertFits, fitBody } from "./fit-body.ts";
import type { Keys } from "./keys.ts";
import type { OutgoingMail } from "./mailbox.ts";
import { whyMayNotSend } from "./may-send.ts";
import { createPairRate } from "./pair-rate.ts";
import { signMail } from "./sign-mail.ts";

export interface SendOptions {
  readonly team: string;
  readonly store: Pick<StoredTeam, "inbox" | "bodies">;
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

  // No await before the write, unless something must be waited for: that is what keeps the order.
  const send = async (outgoing: OutgoingMail): Promise<{ readonly id: MailId }> => {
    const draft = check(outgoing);
    const ready = finish(draft);
    const isInTurn = turns.has(draft.to) || ready instanceof Promise;
    await (isInTurn ? storeInTurn(draft.to, ready) : store.inbox(draft.to).send(ready));
    return { id: draft.id };
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

  const finish = (draft: Draft): Mail | Promise<Mail> => {
    const key = keys.toSign(draft.from);
    const body = fitBody(draft.body, { id: draft.id, bodies: store.bodies });
    if (!(key instanceof Promise) && !(body instanceof Promise)) return seal(draft, { body, key });
    return Promise.all([body, key]).then(([fitted, found]) => seal(draft, { body: fitted, key: found }));
  };

  const seal = (draft: Draft, { body, key }: { body: MailBody; key: KeyObject | undefined }): Mail => {
    const parsed = Mail.safeParse(mailOf(draft, body, clock));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const where = issue?.path.join(".") ?? "";
      throw new TroupeError("mail", `This is no mail that can be sent: ${where}: ${issue?.message ?? "wrong form"}.`);
    }
    if (key !== undefined) return signMail(parsed.data, key);
    if (body.kind === "text") return parsed.data;
    throw new TroupeError(
      "mail",
      `${draft.from} has no key here, and a ${body.kind} that is not signed counts nothing.`,
    );
  };

  const storeInTurn = async (to: string, ready: Mail | Promise<Mail>): Promise<void> => {
    const before = turns.get(to);
    let storing: Promise<void> | undefined;
    const write = async () => {
      const mail = await ready;
      await before;
      storing = store.inbox(to).send(mail);
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

interface Draft {
  readonly outgoing: OutgoingMail;
  readonly id: MailId;
  readonly from: string;
  readonly to: string;
  readonly color: string | undefined;
  readonly body: MailBody;
}

function bodyOf({ text, body }: OutgoingMail): MailBody {
  if (body === undefined && text === undefined) throw new TroupeError("mail", "A mail without a text was not sent.");
  if (body === undefined) return { kind: "text", text: text ?? "" };
  if (text !== undefined) throw new TroupeError("mail", "A mail has a text or a body, not both.");
  if (body.kind === "text") return { kind: "text", text: body.text };
  // As it will be read back: what is signed must be what is stored.
  const json = JSON.stringify(body);
  assertFits(json);
  return JSON.parse(json) as MailBody;
}

function mailOf(draft: Draft, body: MailBody, clock: Pick<Clock, "now">): Mail {
  const { outgoing, id, from, to, color } = draft;
  const { summary, urgent, replyTo, wakes = body.kind !== "idle_notification" } = outgoing;
  return {
    id,
    from,
    to,
    timestamp: new Date(clock.now()).toISOString(),
    ...(color !== undefined && { color }),
    ...(summary !== undefined && { summary: summary.slice(0, longestSummary) }),
    wakes,
    ...(urgent === true && { urgent }),
    ...(replyTo !== undefined && { replyTo }),
    body,
  };
}

const longestSummary = 200;
