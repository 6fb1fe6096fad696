import { createHmac, type KeyObject, sign, timingSafeEqual, verify } from "node:crypto";
import type { Mail, MailBody } from "../../protocol/index.ts";

export interface SignedMail {
  readonly mail: Mail;
  /** The mail as stored. Serialized once, for the signature and for the file. */
  readonly json: string;
}

/** Signs all other fields of the mail with `key`. */
export function signMail(mail: Mail, key: KeyObject): SignedMail {
  const text = signedText(mail);
  const signature = key.type === "secret" ? digestOf(text, key) : sealOf(text, key);
  mail.signature = signature;
  return { mail, json: `${text.slice(0, -1)},"signature":"${signature}"}` };
}

/** True if `key` signed exactly this mail. */
export function isSignedBy(mail: Mail, key: KeyObject): boolean {
  if (mail.signature === undefined) return false;
  if (key.type !== "secret")
    return verify(null, Buffer.from(signedText(mail)), key, Buffer.from(mail.signature, "base64url"));
  const given = Buffer.from(mail.signature);
  const expected = Buffer.from(digestOf(signedText(mail), key));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const digestOf = (text: string, key: KeyObject): string => createHmac("sha256", key).update(text).digest("base64url");

/** An asymmetric signature: its verifier cannot create it. */
const sealOf = (text: string, key: KeyObject): string => sign(null, Buffer.from(text), key).toString("base64url");

/**
 * The canonical JSON of the mail without its signature. For a text, `JSON.stringify` is enough: it omits undefined
 * fields, and the fields here are in alphabetical order.
 */
function signedText({ body, color, from, id, replyTo, summary, timestamp, to, urgent, wakes }: Mail): string {
  const isText = body.kind === "text";
  const known = isText ? textFields(body) : undefined;
  const fields = {
    body: known,
    color,
    from,
    id,
    replyTo,
    summary,
    timestamp,
    to,
    urgent,
    wakes,
  } satisfies Signed<Mail>;
  const json = JSON.stringify(fields);
  return isText ? json : `{"body":${canonicalJson(body)},${json.slice(1)}`;
}

const textFields = ({ file, kind, text }: TextBody) => ({ file, kind, text }) satisfies Signed<TextBody>;

type TextBody = Extract<MailBody, { kind: "text" }>;

/** All fields, so that a missing one is a compile error. */
type Signed<Of> = Record<Exclude<keyof Of, "signature">, unknown>;

/** One text per value, independent of the order of its keys. Omits what JSON cannot represent, as storing does. */
function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = "";
  for (const key of Object.keys(fields).sort()) {
    const field = fields[key];
    if (field !== undefined) text += `,${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${text.slice(1)}}`;
}
