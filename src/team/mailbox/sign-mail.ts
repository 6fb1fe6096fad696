import { createHmac, type KeyObject, sign, timingSafeEqual, verify } from "node:crypto";
import { Mail } from "../../protocol/index.ts";

/** The mail with a signature that only who has `key` can make, over everything else that is in it. */
export function signMail(mail: Mail, key: KeyObject): Mail {
  return { ...mail, signature: key.type === "secret" ? digestOf(mail, key) : sealOf(mail, key) };
}

/** Whether exactly this mail was signed with `key`. */
export function isSignedBy(mail: Mail, key: KeyObject): boolean {
  if (mail.signature === undefined) return false;
  if (key.type !== "secret")
    return verify(null, Buffer.from(signedText(mail)), key, Buffer.from(mail.signature, "base64url"));
  const given = Buffer.from(mail.signature);
  const expected = Buffer.from(digestOf(mail, key));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const digestOf = (mail: Mail, key: KeyObject): string =>
  createHmac("sha256", key).update(signedText(mail)).digest("base64url");

/** By one of a pair of keys: who checks it cannot make it. */
const sealOf = (mail: Mail, key: KeyObject): string =>
  sign(null, Buffer.from(signedText(mail)), key).toString("base64url");

/** Every field that a mail can have, but for the signature itself. */
const signedFields = Object.keys(Mail.shape)
  .filter((name) => name !== "signature")
  .sort() as Exclude<keyof Mail, "signature">[];

/** The canonical JSON of the mail without its signature. */
function signedText(mail: Mail): string {
  let text = "";
  for (const name of signedFields) {
    const value = mail[name];
    if (value !== undefined) text += `,"${name}":${canonicalJson(value)}`;
  }
  return `{${text.slice(1)}}`;
}

/** One text for one value, whatever the order of its keys; what JSON does not carry is left out, as when it is stored. */
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
