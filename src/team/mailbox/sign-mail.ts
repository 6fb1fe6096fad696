import { createHmac, timingSafeEqual } from "node:crypto";
import type { Mail } from "../../protocol/index.ts";

/** The mail with a signature that only who has `key` can make, over everything else that is in it. */
export function signMail(mail: Mail, key: Uint8Array): Mail {
  return { ...mail, signature: digestOf(mail, key).toString("base64url") };
}

/** Whether exactly this mail was signed with `key`. */
export function isSignedBy(mail: Mail, key: Uint8Array): boolean {
  if (mail.signature === undefined) return false;
  const given = Buffer.from(mail.signature, "base64url");
  const expected = digestOf(mail, key);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function digestOf(mail: Mail, key: Uint8Array): Buffer {
  return createHmac("sha256", key)
    .update(canonicalJson({ ...mail, signature: undefined }))
    .digest();
}

/** One text for one value, whatever the order of its keys; what JSON does not carry is left out, as when it is stored. */
function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = "";
  for (const key of Object.keys(fields).sort()) {
    const field = fields[key];
    if (field === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}
