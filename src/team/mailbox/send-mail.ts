import type { KeyObject } from "node:crypto";
import type { Clock } from "../../platform/index.ts";
import {
  Mail,
  type MailBody,
  type MailId,
  type MailKind,
  type Member,
  TroupeError,
  teamUser,
} from "../../protocol/index.ts";
import type { Inbox } from "../../store/index.ts";
import { findMember, findSender } from "./find-member.ts";
import { assertFits, fitBody, needsNoFile } from "./fit-body.ts";
import type { MailKeys } from "./mail-keys.ts";
import type { OutgoingMail, MailboxMembers } from "./mailbox.ts";
import { senderRefusalReason } from "./sender-rules.ts";
import { createPairRateLimit } from "./pair-rate-limit.ts";
import { type SignedMail, signMail } from "./sign-mail.ts";
import type { MailboxOptions } from "./create-mailbox.ts";

export interface SendOptions extends Omit<MailboxOptions, keyof MailboxMembers> {
  readonly keys: MailKeys;
  /** Returns the same array until something changes. */
  readonly members: () => readonly Member[];
}

/** Verifies, signs and stores a mail. Mail from one mailbox to one member is stored in the order of the calls. */
export function createSend(options: SendOptions): (outgoing: OutgoingMail) => Promise<{ readonly id: MailId }> {
  const { store, clock, createId, keys, team } = options;
  const rate = createPairRateLimit({ clock, perMinute: options.pairsPerMinute ?? 60 });
  /** The mail being prepared, per receiver. Later mail waits until it is written. */
  const turns = new Map<string, Promise<unknown>>();
  const timestamp = createStamp(clock);
  let route: Route | undefined;

  // Do not await before the write unless necessary: this keeps the order.
  const send = async (outgoing: OutgoingMail): Promise<{ readonly id: MailId }> => {
    const members = options.members();
    if (route === undefined || !isRouteOf(route, outgoing, members)) route = findRoute(outgoing, members);
    const { from, to } = route;
    const body = bodyOf(outgoing);
    if (body.kind !== "text") assertMaySend(from, body.kind);
    else if (from !== teamUser) rate.count(from, to);
    try {
      const mail = mailOf(outgoing, body, route);
      const key = keys.cachedSigningKey(from);
      const isReady = key !== undefined && needsNoFile(body);
      if (isReady && !turns.has(to)) await storeSealed(route.inbox, signMail(mail, key));
      else await storeInTurn(route, isReady ? Promise.resolve(signMail(mail, key)) : finish(mail));
      return { id: mail.id };
    } catch (error) {
      // Retries after a full disk count once: a mail that was not stored was not sent.
      if (body.kind === "text") rate.uncount(from, to);
      throw error;
    }
  };

  const mailOf = (outgoing: OutgoingMail, body: MailBody, { from, to, color }: Route): Mail => {
    const { summary, urgent, replyTo, wakes = body.kind !== "idle_notification" } = outgoing;
    const id = outgoing.id ?? createId<MailId>("mail");
    const mail: Mail = { id, from, to, timestamp: timestamp(), wakes, body };
    if (color !== undefined) mail.color = color;
    if (summary !== undefined) mail.summary = summary.slice(0, longestSummary);
    if (urgent === true) mail.urgent = urgent;
    if (replyTo !== undefined) mail.replyTo = replyTo;
    return isParsedMail(mail, outgoing) ? mail : parseOutgoing(mail);
  };

  const findRoute = ({ from, to }: OutgoingMail, members: readonly Member[]): Route => {
    const sender = findSender(from, { team, members });
    const receiver = findMember(to, { team, members }).name;
    const found = { from: sender?.name ?? teamUser, to: receiver, color: sender?.color, inbox: store.inbox(receiver) };
    return { asked: { from, to, members }, ...found };
  };

  const finish = async (mail: Mail): Promise<Sealed> => {
    const [body, key] = await Promise.all([
      fitBody(mail.body, { id: mail.id, bodies: store.bodies }),
      keys.signingKey(mail.from),
    ]);
    return seal({ ...mail, body }, key);
  };

  const seal = (mail: Mail, key: KeyObject | undefined): Sealed => {
    if (key !== undefined) return signMail(mail, key);
    const { kind } = mail.body;
    if (kind === "text" || store.isUnsigned) return { mail };
    throw new TroupeError("mail", `Cannot sign ${kind}: no key for ${mail.from} on this machine.`);
  };

  const storeInTurn = async ({ to, inbox }: Route, ready: Promise<Sealed>): Promise<void> => {
    const before = turns.get(to);
    let storing: Promise<void> | undefined;
    const write = async () => {
      const sealed = await ready;
      await before;
      storing = storeSealed(inbox, sealed);
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

/** Sender and receiver, cached because the next mail often has the same. */
interface Route {
  readonly from: string;
  readonly to: string;
  readonly color: string | undefined;
  readonly inbox: Inbox;
  readonly asked: { readonly from: string; readonly to: string; readonly members: readonly Member[] };
}

const isRouteOf = ({ asked }: Route, { from, to }: OutgoingMail, members: readonly Member[]): boolean =>
  asked.from === from && asked.to === to && asked.members === members;

type Sealed = SignedMail | { readonly mail: Mail; readonly json?: never };

const storeSealed = (inbox: Inbox, { mail, json }: Sealed) => inbox.send(mail, json);

function assertMaySend(from: string, kind: MailKind): void {
  const refusal = senderRefusalReason(from, kind);
  if (refusal !== undefined) throw new TroupeError("mail", `Cannot send the mail: ${refusal}.`);
}

function bodyOf({ text, body }: OutgoingMail): MailBody {
  if (body === undefined) {
    if (text === undefined) throw new TroupeError("mail", "Cannot send a mail without a text.");
    return { kind: "text", text };
  }
  if (text !== undefined) throw new TroupeError("mail", "Cannot send a mail with both a text and a body.");
  if (body.kind === "text") return { kind: "text", text: body.text };
  // Parsed as it will be read, because the signature must cover what is stored.
  const json = JSON.stringify(body);
  assertFits(json);
  return JSON.parse(json) as MailBody;
}

const longestSummary = 200;

/** Formats the time once per millisecond, because many mails share it. */
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
 * True if the schema cannot fail. Names, id and time are generated here, so only the types of the arguments matter. The
 * first use of the schema costs more than a hundred sends.
 */
const isParsedMail = ({ body, summary, wakes }: Mail, { id, replyTo }: OutgoingMail): boolean =>
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
  throw new TroupeError("mail", `Cannot send the mail: ${where}: ${issue?.message ?? "invalid value"}.`);
}
