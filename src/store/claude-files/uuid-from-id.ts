import { createHash } from "node:crypto";

/**
 * Returns the id as a UUID, as Claude Code uses: the same 128 bits. A text that is not one of our ids gets the UUID of
 * its hash, which cannot be reversed.
 */
export function uuidFromId(id: string): string {
  const digits = id.slice(id.indexOf("_") + 1);
  return (asNumber(digits) ?? hashOf(id)).toString(16).padStart(32, "0").replace(form, "$1-$2-$3-$4-$5");
}

/** Returns the id with this prefix and the bits of a UUID. Any other text is hashed. */
export function idFromUuid<I extends string>(prefix: string, text: string): I {
  const number = uuid.test(text) ? BigInt(`0x${text.replaceAll("-", "")}`) : hashOf(text);
  return `${prefix}_${digitsOf(number)}` as I;
}

/** The alphabet of `createId`. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const width = 26;
const form = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function asNumber(digits: string): bigint | undefined {
  if (digits.length !== width) return undefined;
  let number = 0n;
  for (const digit of digits) {
    const value = alphabet.indexOf(digit);
    if (value === -1) return undefined;
    number = number * 32n + BigInt(value);
  }
  return number < 1n << 128n ? number : undefined;
}

function digitsOf(value: bigint): string {
  let text = "";
  for (let rest = value, n = 0; n < width; n++, rest /= 32n) text = alphabet.charAt(Number(rest % 32n)) + text;
  return text;
}

const hashOf = (text: string): bigint => BigInt(`0x${createHash("sha256").update(text).digest("hex").slice(0, 32)}`);
