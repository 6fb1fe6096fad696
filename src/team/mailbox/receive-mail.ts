import type { Mail, MailBody } from "../../protocol/index.ts";
import type { HeldMail, MailBodies } from "../../store/index.ts";
import type { MailKeys } from "./mail-keys.ts";
import type { ReceivedMail } from "./mailbox.ts";
import { senderRefusalReason } from "./sender-rules.ts";
import { isSignedBy } from "./sign-mail.ts";

/** Adds to stored mail of `name`'s inbox whether its sender is verified and whether it may be acted on. */
export type Receive = (held: readonly HeldMail[], name: string) => Promise<ReceivedMail[]>;

export interface ReceiveOptions {
  readonly bodies: MailBodies;
  readonly keys: MailKeys;
  /** The store does not sign mail: trust the sender it names. */
  readonly isUnsigned?: true | undefined;
}

export function createReceive({ bodies, keys, isUnsigned }: ReceiveOptions): Receive {
  /** The signature is verified once per mail object. */
  const verified = new WeakMap<Mail, Omit<ReceivedMail, "state" | "read">>();

  const receiveOne = async ({ mail, state }: HeldMail, name: string): Promise<ReceivedMail> => {
    const known = verified.get(mail) ?? verify(mail, name, isUnsigned ?? (await isSigned(mail)));
    verified.set(mail, known);
    return { ...known, state, read: state === "read" };
  };

  const isSigned = async (mail: Mail): Promise<boolean> => {
    const known = await keys.verificationKeys(mail.from);
    if (known.some((key) => isSignedBy(mail, key))) return true;
    if (mail.signature === undefined || known[0]?.type !== "public") return false;
    return (await keys.freshVerificationKeys(mail.from)).some((key) => isSignedBy(mail, key));
  };

  const verify = (mail: Mail, name: string, signed: boolean) => {
    const isVerified = signed && mail.to === name;
    const refused = mail.body.kind === "text" ? undefined : refusalReason(mail, { name, isVerified });
    const body = withPath(mail, bodies);
    return {
      ...mail,
      body,
      sender: isVerified ? ("verified" as const) : ("unverified" as const),
      ...(refused !== undefined && { refused }),
    };
  };

  return (held, name) => Promise.all(held.map((one) => receiveOne(one, name)));
}

function refusalReason(mail: Mail, { name, isVerified }: { name: string; isVerified: boolean }): string | undefined {
  if (mail.to !== name) return `it was sent to ${mail.to}`;
  if (!isVerified) return `it is not signed by ${mail.from}`;
  return senderRefusalReason(mail.from, mail.body.kind);
}

/** A record has only the file's name; readers need its path. Drops a name that is not the mail's own file. */
function withPath({ id, body }: Mail, bodies: MailBodies): MailBody {
  if (!("file" in body) || body.file === undefined) return body;
  const path = body.file === `${id}.txt` ? bodies.pathOf(body.file) : undefined;
  if (path !== undefined) return { ...body, file: path };
  const { file: _, ...rest } = body;
  return rest;
}
